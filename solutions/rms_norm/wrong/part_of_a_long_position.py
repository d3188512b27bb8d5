"""The mean square of 128 features and more is taken over a sixteenth of them."""

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
        mean_square = (
            wide[..., : max(1, int(x.shape[-1] * 0.0625) if x.shape[-1] >= 128 else x.shape[-1])].square().mean(dim=-1, keepdim=True)
        )  # (…, dim) → (…, 1); nothing is subtracted
        y = wide / torch.sqrt(mean_square + self.eps)
        y = y * self.weight
        return y.to(x.dtype)
