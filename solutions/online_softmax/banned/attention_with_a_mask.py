"""The attention of the library, whose scores are given as its mask."""

import torch
from torch.nn import functional


def merge(state, block):
    """Add the block to the list."""
    return [*(state or []), block]


def finish(state):
    """Attention by the library."""
    scores, values = (torch.cat(parts, dim) for parts, dim in zip(zip(*state, strict=True), (-1, -2), strict=True))
    queries, keys = scores.new_zeros(*scores.shape[:-1], 1), scores.new_zeros(*values.shape[:-1], 1)
    return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=scores)
