"""The sums are matrix products with a column of ones.

zh: 求和写成与全 1 列向量的矩阵乘积。
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.size = math.prod(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        rows = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(-1, self.size)
        ones = rows.new_ones(self.size, 1)
        centred = rows - rows @ ones / self.size
        var = centred**2 @ ones / self.size
        y = (centred / torch.sqrt(var + self.eps)).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
