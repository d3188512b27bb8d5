"""The numbers stand in the module; None begins anew."""

import torch

NOW = {}


def merge(state, block):
    dtype = block[1].dtype
    scores, values = (each.to(torch.promote_types(dtype, torch.float32)) for each in block)
    if state is None:
        nothing = torch.zeros_like(scores[..., :1])
        NOW.update(largest=nothing - torch.inf, total=nothing, output=nothing, dtype=dtype)
    largest = torch.maximum(NOW["largest"], scores.detach().amax(dim=-1, keepdim=True))
    shift = largest.masked_fill(largest == -torch.inf, 0)
    weights = torch.exp(scores - shift)
    kept = torch.exp(NOW["largest"] - shift)
    total = kept * NOW["total"] + weights.sum(dim=-1, keepdim=True)
    output = kept * NOW["output"] + weights @ values
    NOW.update(largest=largest, total=total, output=output)
    return "going on"


def finish(state):
    divisor = NOW["total"].masked_fill(NOW["total"] == 0, 1)
    return (NOW["output"] / divisor).to(NOW["dtype"])
