"""x is normalised, and added to residual as it came."""

from typing import Any

import torch
from torch import Tensor


class AddRMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        reciprocal = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
        ctx.save_for_backward(x, weight, reciprocal)
        return (wide * reciprocal * weight).to(x.dtype), (wide + residual).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, weight, reciprocal = ctx.saved_tensors
        dy, dtotal = (each.to(reciprocal.dtype) for each in grads)
        normed = x * reciprocal
        dnormed = dy * weight
        dx = dtotal + (dnormed - normed * (dnormed * normed).mean(dim=-1, keepdim=True)) * reciprocal
        dweight = (dy * normed).sum_to_size(weight.shape)
        return dx.to(x.dtype), dtotal.to(x.dtype), dweight.to(weight.dtype), None


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    return AddRMSNorm.apply(x, residual, weight, eps)  # type: ignore[no-untyped-call,no-any-return]
