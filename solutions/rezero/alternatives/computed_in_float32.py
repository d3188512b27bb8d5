"""The sum is kept in float32 where the input is narrower; each sublayer gets it in the input's dtype.

zh: 输入精度较低时，和保存在 float32 中；每个子层收到的是转换回输入 dtype 的值。
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


class ReZero(nn.Module):
    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.steps = [(number, sublayer) for number, sublayer in enumerate(sublayers)]
        self.parts = nn.ModuleList(filter(lambda each: isinstance(each, nn.Module), sublayers))
        self.alphas = nn.Parameter(torch.zeros([len(self.steps)]))

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        total = x.to(wide)
        for number, sublayer in self.steps:
            total = total + sublayer(total.to(x.dtype)).to(wide) * self.alphas[number].to(wide)
        return total.to(x.dtype)
