"""α has the shape (1,), so the result is cast back: a tensor with dimensions widens what it is multiplied with.

zh: α 的形状为 (1,)，所以结果要转换回来：有维度的张量会提升与它相乘的数的类型。
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SkipInit(nn.Module):
    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1) * alpha)
        self.residual_branch = branch

    def forward(self, x: Tensor) -> Tensor:
        return (self.residual_branch(x) * self.alpha + x).to(x.dtype)
