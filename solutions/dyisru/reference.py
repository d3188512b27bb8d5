"""Dynamic inverse square root unit (Stollenwerk 2025)."""

import torch
from torch import Tensor, nn


class DyISRU(nn.Module):
    """y = γ · √dim · x / √(x² + c) + β, number by number: c is one number for the whole layer, γ and β belong to a feature."""

    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.root_dim = dim**0.5
        self.c = nn.Parameter(torch.tensor(float(c)))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of a float16 overflows from 256 on
        squashed = wide / torch.sqrt(wide.square() + self.c)  # between −1 and 1; nothing is summed
        y = self.weight * self.root_dim * squashed + self.bias
        return y.to(x.dtype)
