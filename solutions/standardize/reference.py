"""Standardisation: every feature has mean 0 and variance 1."""

import torch
from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    """(N, D) → (N, D): z = (x − μ) / σ per column, with the biased σ; 0 where all numbers of a column are equal."""
    if x.dim() != 2:
        raise ValueError(f"x should have the shape (N, D), but has {x.dim()} dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    constant = wide.amax(dim=0) == wide.amin(dim=0)  # (D,); σ itself need not be 0 there, because the mean is rounded
    centred = wide - wide.mean(dim=0)
    variance = centred.square().mean(dim=0)
    z = centred / torch.sqrt(variance.masked_fill(constant, 1))  # where it is 0, the root would have no slope
    return z.masked_fill(constant, 0).to(x.dtype)
