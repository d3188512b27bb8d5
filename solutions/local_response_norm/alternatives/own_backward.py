"""An autograd function with the backward pass by hand: there the window is turned round.

zh: autograd 函数，反向由手工推导：反向时窗口左右颠倒。
"""

from typing import Any

import torch
from torch import Tensor, nn


def window_sum(values: Tensor, before: int, after: int) -> Tensor:
    """The sum over the channels from `before` places before each to `after` places behind it, with zeros beyond the border."""
    flat = values.flatten(2)
    padded = nn.functional.pad(flat, (0, 0, before, after))
    return sum(padded[:, shift : shift + flat.shape[1]] for shift in range(before + after + 1)).reshape(values.shape)  # type: ignore[union-attr]


class LocalResponse(torch.autograd.Function):
    """dx = dy / b^β − 2αβ/n · x · Σ dy · x / b^(β + 1), where b is the base of the power; the sum is over the windows that hold x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
        base = k + alpha / size * window_sum(x * x, size // 2, (size - 1) // 2)
        ctx.save_for_backward(x, base)
        ctx.options = size, alpha, beta
        return x * base**-beta

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None, None]:
        x, base = ctx.saved_tensors
        size, alpha, beta = ctx.options
        direct = grads[0] * base**-beta
        through = window_sum(direct * x / base, (size - 1) // 2, size // 2)
        return direct - 2 * alpha * beta / size * x * through, None, None, None, None


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() < 3:
        raise ValueError(f"expected 3 or more dimensions, got {x.dim()}")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    y: Tensor = LocalResponse.apply(wide, size, alpha, beta, k)  # type: ignore[no-untyped-call]
    return y.to(x.dtype)
