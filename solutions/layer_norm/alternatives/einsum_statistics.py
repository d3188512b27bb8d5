"""The sums are contractions: einsum for the mean, and of the centred rows with themselves for the variance.

zh: 求和写成缩并：用 einsum 求均值，并让中心化的行与自身缩并得到方差。
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
        mean = torch.einsum("...d->...", rows) / self.size
        centred = rows - mean[..., None]
        var = torch.einsum("...d,...d->...", centred, centred) / self.size
        y = (centred / (var + self.eps).sqrt()[..., None]).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
