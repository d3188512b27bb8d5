"""bfloat16 is squared in bfloat16."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """y = γ · x / √(mean(x²) + ε), where every position has its own mean square over the last dimension."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float() if x.dtype == torch.float16 else x  # the square of a float16 overflows from 256 on
        mean_square = wide.square().mean(dim=-1, keepdim=True)  # (…, dim) → (…, 1); nothing is subtracted
        y = wide / torch.sqrt(mean_square + self.eps)
        y = y * self.weight
        return y.to(x.dtype)
