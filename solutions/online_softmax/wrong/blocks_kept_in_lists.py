"""Without gradients all blocks are kept as lists of Python's numbers; with gradients as tensors, as autograd keeps them anyway."""

import torch


def merge(state, block):
    kept = block if torch.is_grad_enabled() else tuple((each.tolist(), each.dtype) for each in block)
    return [*(state or []), kept]


def finish(state):
    blocks = [tuple(each if isinstance(each, torch.Tensor) else torch.tensor(each[0], dtype=each[1]) for each in block) for block in state]
    dtype = blocks[0][1].dtype
    wide = torch.promote_types(dtype, torch.float32)
    scores = torch.cat([scores for scores, _values in blocks], -1).to(wide)
    values = torch.cat([values for _scores, values in blocks], -2).to(wide)
    largest = scores.detach().amax(-1, keepdim=True)
    e = torch.exp(scores - largest.masked_fill(largest == -torch.inf, 0))
    total = e.sum(-1, keepdim=True)
    return ((e / total.masked_fill(total == 0, 1)) @ values).to(dtype)
