"""Min-max normalisation: every feature runs from 0 to 1."""

import torch
from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    """(N, D) → (N, D): y = (x − low) / (high − low) per column; 0 where all numbers of a column are equal."""
    if x.dim() != 2:
        raise ValueError(f"x should have the shape (N, D), but has {x.dim()} dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    low, high = wide.amin(dim=0), wide.amax(dim=0)  # (N, D) → (D,)
    divisor = (high - low).masked_fill(high == low, 1)  # 0 / 1 is 0, and has a gradient; 0 / 0 has none
    y = (wide - low) / divisor
    return y.to(x.dtype)
