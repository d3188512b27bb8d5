"""Key by key, with exp2: each key is a block of one. Only queries whose largest score grows are rescaled.

zh: 逐个 key 处理，用 exp2：每个 key 是只有一个 key 的块。只有最大值变大的 query 才重新缩放。
"""

import math

import torch

LOG2E = math.log2(math.e)


def merge(state, block):
    dtype = block[1].dtype
    scores, values = (each.to(torch.promote_types(dtype, torch.float32)) for each in block)
    m, s, o, _ = state or (torch.full_like(scores[..., :1], -torch.inf), 0, 0, dtype)
    for x, v in zip(scores.unbind(-1), values.unbind(-2), strict=True):
        x, v = x.unsqueeze(-1), v.unsqueeze(-2)
        grows, closed = x.detach() > m, x == -torch.inf
        new = torch.where(grows, x.detach(), m)
        alpha = torch.where(grows, torch.exp2((m - new) * LOG2E), 1)
        difference = torch.where(closed, 0, x - torch.where(new == -torch.inf, 0, new))
        p = torch.where(closed, 0, torch.exp2(difference * LOG2E))
        m, s, o = new, s * alpha + p, o * alpha + p * v
    return m, s, o, dtype


def finish(state):
    _, s, o, dtype = state
    return (o * torch.where(s == 0, 1, s).reciprocal()).to(dtype)
