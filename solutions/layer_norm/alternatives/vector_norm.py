"""No variance at all: (x − μ) · √n / √(‖x − μ‖² + n · eps), from the length of the centred vector.

zh: 完全不用方差：(x − μ) · √n / √(‖x − μ‖² + n · eps)，用的是中心化向量的长度。
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
        self.dims = tuple(range(-len(shape), 0))
        self.size = math.prod(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(dim=self.dims, keepdim=True)
        length = torch.linalg.vector_norm(centred, dim=self.dims, keepdim=True)
        y = centred * math.sqrt(self.size) / torch.sqrt(length**2 + self.size * self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
