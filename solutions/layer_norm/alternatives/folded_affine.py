"""Everything folded into one scale and one shift: y = x · a + (β − μ · a).

zh: 一切合并成一个缩放和一个平移：y = x · a + (β − μ · a)。
"""

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
        self.dims = tuple(range(-len(shape), 0))
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean = wide.mean(dim=self.dims, keepdim=True)
        a = (wide.var(dim=self.dims, keepdim=True, unbiased=False) + self.eps).rsqrt()
        if self.weight is not None:
            a = a * self.weight
        shift = -mean * a if self.bias is None else self.bias - mean * a
        return (wide * a + shift).to(x.dtype)
