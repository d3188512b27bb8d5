"""One small Module per sublayer; the block is given its number, so that alphas stay one parameter.

zh: 每个子层一个小 Module；系数在调用时传入，这样 alphas 仍是一个参数。
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, sublayer: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.sublayer = sublayer

    def forward(self, x: Tensor, alpha: Tensor) -> Tensor:
        return self.sublayer(x) * alpha + x


class ReZero(nn.Module):
    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(map(Block, sublayers))
        self.alphas = nn.Parameter(torch.zeros(len(sublayers)))

    def forward(self, x: Tensor) -> Tensor:
        for block, alpha in zip(self.blocks, self.alphas.unbind(), strict=True):
            x = block(x, alpha)
        return x
