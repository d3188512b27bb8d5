"""Welford's running mean and sum of squared deviations, one element after the other.

zh: Welford 算法：逐个元素递推均值和偏差的平方和。
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
        self.ndim = len(shape)
        self.size = math.prod(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.flatten(-self.ndim)
        mean = torch.zeros_like(rows[..., 0])
        squares = torch.zeros_like(mean)
        for count, value in enumerate(rows.unbind(-1), 1):
            delta = value - mean
            mean = mean + delta / count
            squares = squares + delta * (value - mean)
        std = torch.sqrt(squares / self.size + self.eps)
        y = ((rows - mean[..., None]) / std[..., None]).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
