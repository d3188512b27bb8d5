"""The state is a dictionary, and merge writes into it."""

import torch


def merge(state, block):
    dtype = block[1].dtype
    scores, values = (each.to(torch.promote_types(dtype, torch.float32)) for each in block)
    if state is None:
        nothing = torch.zeros_like(scores[..., :1])
        state = {"largest": nothing - torch.inf, "total": nothing, "output": nothing, "dtype": dtype}
    largest = torch.maximum(state["largest"], scores.detach().amax(dim=-1, keepdim=True))
    shift = largest.masked_fill(largest == -torch.inf, 0)
    weights = torch.exp(scores - shift)
    kept = torch.exp(state["largest"] - shift)
    state["largest"] = largest
    state["total"] = kept * state["total"] + weights.sum(dim=-1, keepdim=True)
    state["output"] = kept * state["output"] + weights @ values
    return state


def finish(state):
    divisor = state["total"].masked_fill(state["total"] == 0, 1)
    return (state["output"] / divisor).to(state["dtype"])
