"""exp2 of differences times log₂(e), as in kernels; only queries whose largest score grows are rescaled.

zh: 与算子一样，用 exp2 计算差乘以 log₂(e)；只有最大值变大的 query 才重新缩放，被掩码的分数不会遇到 −∞ − (−∞)。
"""

import math

import torch

LOG2E = math.log2(math.e)


def merge(state, block):
    dtype = block[1].dtype
    x, v = (each.to(torch.promote_types(dtype, torch.float32)) for each in block)
    newest = x.detach().amax(-1, keepdim=True)
    m, s, o, _ = state or (torch.full_like(newest, -torch.inf), 0, 0, dtype)
    grows = ~(newest <= m)
    new = torch.where(grows, newest, m)
    alpha = torch.where(grows, torch.exp2((m - new) * LOG2E), 1)
    closed = x == -torch.inf
    difference = torch.where(closed, 0, x) - torch.where(new == -torch.inf, 0, new)
    p = torch.where(closed, 0, torch.exp2(torch.where(closed, 0, difference) * LOG2E))
    return new, s * alpha + p.sum(-1, keepdim=True), o * alpha + p @ v, dtype


def finish(state):
    _, s, o, dtype = state
    return (o * torch.where(s == 0, 1, s).reciprocal()).to(dtype)
