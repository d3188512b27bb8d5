"""The shift follows the largest score only where that has grown by more than 8, as in FlashAttention-4: most blocks rescale nothing.

zh: 只有最大分数增大超过 8 时，减去的数才跟着变，与 FlashAttention-4 相同：多数块不需要重新缩放。
"""

import torch


def merge(state, block):
    dtype = block[1].dtype
    scores, values = (each.to(torch.promote_types(dtype, torch.float32)) for each in block)
    with torch.no_grad():
        largest = scores.amax(-1)
        if state is not None:
            largest = torch.where(largest - state[0] <= 8, state[0], torch.maximum(state[0], largest))
        shift = torch.where(largest == -torch.inf, 0.0, largest)
    weights = torch.exp(scores - shift[..., None])
    total, output = weights.sum(-1), weights @ values
    if state is not None:
        kept = torch.exp(state[0] - shift)
        total, output = total + kept * state[1], output + kept[..., None] * state[2]
    return largest, total, output, dtype


def finish(state):
    _largest, total, output, dtype = state
    return (output / torch.where(total == 0, 1.0, total)[..., None]).to(dtype)
