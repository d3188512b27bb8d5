"""Layer norm scaling (Sun et al. 2025), as a Pre-LN block."""

import math
from collections.abc import Callable

from torch import Tensor, nn


class ScaledPreNorm(nn.Module):
    """y = x + F(LN(x) / √ℓ), where ℓ is the number of the layer, counted from 1."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor], layer: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer
        self.root = math.sqrt(layer)

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm(x) / self.root
        return x + self.sublayer(h)
