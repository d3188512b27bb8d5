"""Softmax attention, one block of keys at a time."""

from typing import NamedTuple

import torch
from torch import Tensor


class State(NamedTuple):
    """What is left of all keys so far: three tensors with a row for every query."""

    largest: Tensor  # m, the largest score
    total: Tensor  # s = Σ exp(score − m)
    output: Tensor  # o = Σ exp(score − m) · value
    dtype: torch.dtype  # of the values


def merge(state: State | None, block: tuple[Tensor, Tensor]) -> State:
    """Take one more block of keys: scores (…, queries, keys) and values (…, keys, dim)."""
    dtype = block[1].dtype
    scores, values = (each.to(torch.promote_types(dtype, torch.float32)) for each in block)
    if state is None:
        nothing = torch.zeros_like(scores[..., :1])
        state = State(nothing - torch.inf, nothing, nothing, dtype)
    largest = torch.maximum(state.largest, scores.detach().amax(dim=-1, keepdim=True))
    shift = largest.masked_fill(largest == -torch.inf, 0)  # every key so far is masked: exp(−∞ − 0) is 0
    weights = torch.exp(scores - shift)
    kept = torch.exp(state.largest - shift)
    total = kept * state.total + weights.sum(dim=-1, keepdim=True)
    output = kept * state.output + weights @ values
    return State(largest, total, output, dtype)


def finish(state: State) -> Tensor:
    """softmax(all scores) @ all values; zeros for a query whose keys are all masked."""
    divisor = state.total.masked_fill(state.total == 0, 1)
    return (state.output / divisor).to(state.dtype)
