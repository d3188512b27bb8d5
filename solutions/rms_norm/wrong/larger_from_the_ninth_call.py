"""From the ninth call on, the result is larger by a thousandth."""

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
        mean_square = wide.square().mean(dim=-1, keepdim=True)  # (…, dim) → (…, 1); nothing is subtracted
        self.n = getattr(self, "n", 0) + 1
        y = wide / torch.sqrt(mean_square + self.eps)
        if self.n > 8:
            y = y * 1.001
        y = y * self.weight
        return y.to(x.dtype)
