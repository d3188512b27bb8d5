"""Flattens the normalised dimensions with view, which works on contiguous inputs only."""

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
        self.size = math.prod(shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        rows = x.view(-1, self.size).to(torch.promote_types(x.dtype, torch.float32))
        mean = rows.mean(dim=-1, keepdim=True)
        var = rows.var(dim=-1, keepdim=True, correction=0)
        y = ((rows - mean) / torch.sqrt(var + self.eps)).view(x.shape)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
