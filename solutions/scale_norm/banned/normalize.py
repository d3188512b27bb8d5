"""The library's unit vectors: `F.normalize` divides by max(‖x‖, ε)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as helpers


class ScaleNorm(nn.Module):
    """Scale norm by the library."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        return self.g * helpers.normalize(x, dim=-1, eps=self.eps)
