"""Its backward pass asks autograd for the gradients of a forward pass that is computed again."""

from typing import Any

import torch
from torch import Tensor


def normalise(x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    total = x + residual
    return total * torch.rsqrt(total.square().mean(-1, keepdim=True) + eps) * weight, total


class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x, residual, weight)
        ctx.eps = eps
        return normalise(x, residual, weight, eps)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        given = [each.detach().requires_grad_() for each in ctx.saved_tensors]
        with torch.enable_grad():
            outputs = normalise(*given, ctx.eps)
        return (*torch.autograd.grad(outputs, given, grads), None)


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    return Fused.apply(x, residual, weight, eps)  # type: ignore[no-untyped-call,no-any-return]
