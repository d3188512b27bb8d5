"""Every sublayer is an attribute of its own, with its number in the name.

zh: 每个子层是一个单独的属性，名字中带有编号。
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


class ReZero(nn.Module):
    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.depth = len(sublayers)
        for number, sublayer in enumerate(sublayers):
            setattr(self, f"sublayer_{number}", sublayer)
        self.register_parameter("alphas", nn.Parameter(torch.empty(self.depth)))
        nn.init.zeros_(self.alphas)

    def forward(self, x: Tensor) -> Tensor:
        for number in range(self.depth):
            branch = getattr(self, f"sublayer_{number}")(x)
            x = torch.addcmul(x, branch, self.alphas[number].to(x.dtype))
        return x
