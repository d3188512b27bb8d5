"""As its authors write it: alpha has the shape (1,), and nothing is widened; the result is cast, for float32 parameters widen it.

zh: 作者们的写法：alpha 的形状为 (1,)，不提升任何精度；float32 的参数会把结果变宽，所以最后转换类型。
"""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1) * alpha)
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        y = torch.tanh(self.alpha * x) * self.weight + self.bias
        return y.to(x.dtype)
