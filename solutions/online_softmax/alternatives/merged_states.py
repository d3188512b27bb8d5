"""The state of a block is made for itself; two states are merged by one rule, whichever of them is older.

zh: 先求出一个块自己的状态；两个状态按同一条规则合并，与先后无关。
"""

import torch


def of_block(scores, values):
    m = scores.amax(dim=-1, keepdim=True)
    e = torch.where(scores == -torch.inf, 0, torch.exp(scores - torch.where(torch.isneginf(m), 0, m)))
    return m, e.sum(dim=-1, keepdim=True), torch.matmul(e, values)


def both(one, other):
    m = torch.maximum(one[0], other[0])
    safe = torch.where(torch.isneginf(m), 0, m)
    a, b = torch.exp(one[0] - safe), torch.exp(other[0] - safe)
    return m, a * one[1] + b * other[1], a * one[2] + b * other[2]


def merge(state, block):
    dtype = block[1].dtype
    wide = torch.promote_types(dtype, torch.float32)
    new = of_block(block[0].to(wide), block[1].to(wide))
    return (new, dtype) if state is None else (both(state[0], new), dtype)


def finish(state):
    (_m, s, o), dtype = state
    return torch.where(s == 0, o, o / torch.where(s == 0, 1, s)).to(dtype)
