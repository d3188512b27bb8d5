"""Functions are wrapped in Modules, so that one ModuleList holds everything.

zh: 函数包装成 Module，这样一个 ModuleList 就能装下全部。
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


class Wrapped(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


class ReZero(nn.Module):
    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([each if isinstance(each, nn.Module) else Wrapped(each) for each in sublayers])
        self.alphas = nn.Parameter(torch.zeros(len(self.layers)))

    def forward(self, x: Tensor) -> Tensor:
        for number, layer in enumerate(self.layers):
            x = x + self.alphas[number] * layer(x)
        return x
