"""The normalisation is an autograd function with a backward pass derived by hand.

zh: 归一化写成 autograd 函数，反向由手工推导。
"""

from typing import Any

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = (x − μ) / √(σ² + ε), and dx = (dy − mean(dy) − x̂ · mean(dy · x̂)) / √(σ² + ε), row by row."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, eps: float) -> Tensor:
        centred = rows - rows.mean(-1, keepdim=True)
        rstd = torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)
        normalised = centred * rstd
        ctx.save_for_backward(normalised, rstd)
        return normalised

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        normalised, rstd = ctx.saved_tensors
        dy = grads[0]
        along = (dy * normalised).mean(-1, keepdim=True)
        return (dy - dy.mean(-1, keepdim=True) - normalised * along) * rstd, None


class GroupNorm(nn.Module):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows: Tensor = Normalise.apply(wide.reshape(len(x), self.num_groups, -1), self.eps)  # type: ignore[no-untyped-call]
        y = rows.reshape(len(x), x.shape[1], -1)
        if self.weight is not None:
            y = y * self.weight[:, None] + self.bias[:, None]
        return y.reshape(x.shape).to(x.dtype)
