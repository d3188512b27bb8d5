"""x + α · F(x) as one operation on three tensors.

zh: x + α · F(x) 写成对三个张量的一次运算。
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SkipInit(nn.Module):
    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.body = branch
        self.register_parameter("alpha", nn.Parameter(torch.empty(())))
        nn.init.constant_(self.alpha, alpha)

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(x, self.body(x), self.alpha.to(x.dtype))
