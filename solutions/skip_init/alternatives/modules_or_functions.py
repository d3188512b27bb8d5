"""A function is wrapped in a Module, so that the branch is one in every case.

zh: 函数包装成 Module，这样分支在任何情况下都是 Module。
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Wrapped(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


class SkipInit(nn.Module):
    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.Sequential(branch if isinstance(branch, nn.Module) else Wrapped(branch))
        self.alpha = nn.Parameter(torch.full((1,), alpha))

    def forward(self, x: Tensor) -> Tensor:
        scaled = self.layers(x) * self.alpha.type_as(x)
        return scaled.add(x)
