"""SkipInit (De and Smith 2020): a residual block in which one learnt number scales the branch."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SkipInit(nn.Module):
    """y = x + α · F(x), where α is learnt and begins at 0, as a rule."""

    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.branch = branch
        self.alpha = nn.Parameter(torch.tensor(alpha))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.alpha * self.branch(x)
