"""The output so far moves towards that of the block by a sigmoid of two log-sum-exps, as ring attention does it.

zh: 已有的输出向这一块的输出移动，移动多少是两个 log-sum-exp 之差的 sigmoid，与环形注意力的写法相同。
"""

import torch


def attention(scores, values):
    """The log-sum-exp of each query, −∞ without keys, and its output."""
    largest = scores.detach().amax(-1, keepdim=True)
    largest = largest.masked_fill(largest == -torch.inf, 0)
    weights = torch.exp(scores - largest)
    total = weights.sum(-1, keepdim=True)
    empty = total == 0
    total = total.masked_fill(empty, 1)
    return (largest + total.log()).masked_fill(empty, -torch.inf), weights / total @ values


def merge(state, block):
    dtype = block[1].dtype
    wide = torch.promote_types(dtype, torch.float32)
    lse, output = attention(*(each.to(wide) for each in block))
    if state is None:
        return lse, output, dtype
    neither = (state[0] == -torch.inf) & (lse == -torch.inf)
    before, new = state[0].masked_fill(neither, 0), lse.masked_fill(neither, 0)
    moved = state[1] - torch.sigmoid(new - before) * (state[1] - output)
    return torch.logaddexp(before, new).masked_fill(neither, -torch.inf), moved, dtype


def finish(state):
    return state[1].to(state[2])
