"""Up to eight blocks wait, and are merged together."""

import torch


def merge(state, block):
    state, waiting = state or (None, [])
    waiting = [*waiting, block]
    return (merged(state, waiting), []) if len(waiting) == 8 else (state, waiting)


def merged(state, blocks):
    dtype = blocks[0][1].dtype
    wide = torch.promote_types(dtype, torch.float32)
    scores = torch.cat([scores for scores, _values in blocks], -1).to(wide)
    values = torch.cat([values for _scores, values in blocks], -2).to(wide)
    largest = scores.detach().amax(dim=-1, keepdim=True)
    m, s, o, _dtype = state or (torch.full_like(largest, -torch.inf), 0, 0, dtype)
    largest = torch.maximum(largest, m)
    shift = largest.masked_fill(largest == -torch.inf, 0)
    weights, kept = torch.exp(scores - shift), torch.exp(m - shift)
    return largest, kept * s + weights.sum(dim=-1, keepdim=True), kept * o + weights @ values, dtype


def finish(state):
    _m, s, o, dtype = merged(*state) if state[1] else state[0]
    return (o / s.masked_fill(s == 0, 1)).to(dtype)
