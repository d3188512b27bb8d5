"""The sum of squares as a matrix product with ones.

zh: 平方和写成与全 1 矩阵的乘积。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        squared = wide**2 @ wide.new_ones(x.shape[-1], 1)
        empty = squared == 0  # where a root has no slope
        length = (squared + empty).sqrt() * ~empty
        return (self.g * wide * (1 / length.clamp(min=self.eps))).to(x.dtype)
