"""Root mean square."""

import torch
from torch import Tensor


def rms(x: Tensor, eps: float = 1e-5) -> Tensor:
    """x / √(mean(x²) + eps), row by row."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean_square = wide.square().mean(dim=-1, keepdim=True)  # (…, d) → (…, 1)
    return (wide / torch.sqrt(mean_square + eps)).to(x.dtype)
