"""The normalisation is an autograd function with a backward pass derived by hand.

zh: 归一化写成 autograd 函数，反向由手工推导。
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = (x − μ) / √(σ² + ε), and dx = (dy − mean(dy) − x̂ · mean(dy · x̂)) / √(σ² + ε)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
        centred = x - x.mean(dim=dims, keepdim=True)
        rstd = torch.rsqrt(centred.square().mean(dim=dims, keepdim=True) + eps)
        normalised = centred * rstd
        ctx.save_for_backward(normalised, rstd)
        ctx.dims = dims
        return normalised

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        normalised, rstd = ctx.saved_tensors
        dy = grads[0]
        along = (dy * normalised).mean(dim=ctx.dims, keepdim=True)
        return (dy - dy.mean(dim=ctx.dims, keepdim=True) - normalised * along) * rstd, None, None


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
        y: Tensor = Normalise.apply(wide, self.dims, self.eps)  # type: ignore[no-untyped-call]
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
