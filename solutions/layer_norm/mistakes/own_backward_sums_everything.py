"""A backward pass by hand, in which sum(dim=()) sums the gradients of weight and bias over everything."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn


class ScaleAndShift(torch.autograd.Function):
    """y = γ · x̂ + β."""

    @staticmethod
    def forward(ctx: Any, normalised: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(normalised, weight, bias)
        return normalised * weight + bias

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        normalised, weight, bias = ctx.saved_tensors
        dy = grads[0]
        leading = tuple(range(dy.dim() - weight.dim()))
        d_weight, d_bias = (dy * normalised).sum(dim=leading), dy.sum(dim=leading)
        return dy * weight, d_weight.expand(weight.shape).to(weight.dtype), d_bias.expand(bias.shape).to(bias.dtype)


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
        self.dims = tuple(range(-len(shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean = wide.mean(dim=self.dims, keepdim=True)
        var = wide.var(dim=self.dims, keepdim=True, correction=0)
        y = (wide - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            bias = torch.zeros_like(self.weight) if self.bias is None else self.bias
            y = ScaleAndShift.apply(y, self.weight, bias)  # type: ignore[no-untyped-call]
        return y.to(x.dtype)
