"""An autograd function with a backward pass by hand: dx = g · (dy − u · Σ dy · u) / ‖x‖ with u = x / ‖x‖.

zh: 写成 autograd 函数，反向由手工推导：dx = g · (dy − u · Σ dy · u) / ‖x‖，其中 u = x / ‖x‖。
"""

from typing import Any

import torch
from torch import Tensor, nn


class Direction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        length = x.pow(2).sum(-1, keepdim=True).sqrt()
        divisor = torch.maximum(length, torch.full_like(length, eps))
        unit = x / divisor
        ctx.save_for_backward(unit, divisor, length >= eps)
        return unit

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        unit, divisor, long = ctx.saved_tensors
        along = (grads[0] * unit).sum(-1, keepdim=True) * long  # a position shorter than eps loses nothing
        return (grads[0] - unit * along) / divisor, None


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        unit: Tensor = Direction.apply(x.to(torch.promote_types(x.dtype, torch.float32)), self.eps)  # type: ignore[no-untyped-call]
        return (self.g * unit).to(x.dtype)
