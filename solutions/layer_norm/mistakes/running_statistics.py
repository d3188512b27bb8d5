"""Keeps running statistics in training and normalises with them in evaluation."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    running_mean: Tensor
    running_var: Tensor

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims = tuple(range(-len(shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None
        self.register_buffer("running_mean", torch.zeros(()))
        self.register_buffer("running_var", torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            mean = wide.mean(dim=self.dims, keepdim=True)
            var = wide.var(dim=self.dims, keepdim=True, correction=0)
            with torch.no_grad():
                self.running_mean.lerp_(mean.mean().to(self.running_mean.dtype), 0.1)
                self.running_var.lerp_(var.mean().to(self.running_var.dtype), 0.1)
        else:
            mean, var = self.running_mean, self.running_var
        y = (wide - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
