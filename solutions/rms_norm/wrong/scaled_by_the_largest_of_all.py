"""All positions are scaled by the largest number of all, beside which small ones vanish."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """y = γ · x / √(mean(x²) + ε), where every position has its own mean square over the last dimension."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of a float16 overflows from 256 on
        s = wide.abs().max().clamp(min=1e-30)
        y = (wide / s) / torch.sqrt((wide / s).square().mean(dim=-1, keepdim=True) + self.eps / s**2)
        y = y * self.weight
        return y.to(x.dtype)
