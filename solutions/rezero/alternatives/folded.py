"""The stack is a fold over pairs of a sublayer and its number; modules are registered one by one.

zh: 整个堆叠是对（子层，系数）对的折叠；Module 逐个注册。
"""

from collections.abc import Callable, Sequence
from functools import reduce

import torch
from torch import Tensor, nn


class ReZero(nn.Module):
    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.functions = tuple(sublayers)
        for number, sublayer in enumerate(sublayers):
            if isinstance(sublayer, nn.Module):
                self.add_module(f"f{number}", sublayer)
        self.alphas = nn.Parameter(torch.tensor([0.0] * len(sublayers)))

    def forward(self, x: Tensor) -> Tensor:
        return reduce(lambda state, pair: state.add(pair[1](state).mul(pair[0])), zip(self.alphas, self.functions, strict=True), x)
