"""Mix-LN (Li et al. 2024): the first layers of a stack are Post-LN, the rest Pre-LN."""

import math
from collections.abc import Callable, Sequence

from torch import Tensor, nn


class MixNormStack(nn.Module):
    """x ← LN(x + F(x)) in the first ⌊L · post_ratio⌋ layers, x ← x + F(LN(x)) in the others; each has a norm of its own."""

    def __init__(self, dim: int, sublayers: Sequence[Callable[[Tensor], Tensor]], post_ratio: float = 0.25) -> None:
        super().__init__()
        self.sublayers = list(sublayers)
        self.registered = nn.ModuleList(each for each in self.sublayers if isinstance(each, nn.Module))  # a plain list registers nothing
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in self.sublayers)
        self.post_layers = math.floor(len(self.sublayers) * post_ratio)

    def forward(self, x: Tensor) -> Tensor:
        for number, (norm, sublayer) in enumerate(zip(self.norms, self.sublayers, strict=True)):
            x = norm(x + sublayer(x)) if number < self.post_layers else x + sublayer(norm(x))
        return x
