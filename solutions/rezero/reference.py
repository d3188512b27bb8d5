"""ReZero (Bachlechner et al. 2020): residual blocks whose branches are switched off at the start."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


class ReZero(nn.Module):
    """x ← x + αᵢ · Fᵢ(x) for each sublayer Fᵢ in turn; every αᵢ is learnt and begins at 0."""

    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.sublayers = list(sublayers)
        self.registered = nn.ModuleList(each for each in self.sublayers if isinstance(each, nn.Module))  # a plain list registers nothing
        self.alphas = nn.Parameter(torch.zeros(len(self.sublayers)))

    def forward(self, x: Tensor) -> Tensor:
        for alpha, sublayer in zip(self.alphas, self.sublayers, strict=True):
            x = x + alpha * sublayer(x)
        return x
