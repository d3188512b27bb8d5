"""RMS norm of a sum that is returned, too, with its backward pass by hand."""

from typing import Any

import torch
from torch import Tensor


class AddRMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        wide = x.to(torch.promote_types(x.dtype, torch.float32)) + residual
        reciprocal = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
        y = (wide * reciprocal * weight).to(x.dtype)
        total = wide.to(x.dtype)
        ctx.save_for_backward(total, weight, reciprocal)
        return y, total

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        total, weight, reciprocal = ctx.saved_tensors
        dy, dtotal = (each.to(reciprocal.dtype) for each in grads)
        normed = total * reciprocal
        dweight = (dy * normed).sum_to_size(weight.shape)
        dnormed = dy * weight
        through_norm = (dnormed - normed * (dnormed * normed).mean(dim=-1, keepdim=True)) * reciprocal
        dsum = (dtotal + through_norm).to(total.dtype)
        return dsum, dsum, dweight.to(weight.dtype), None


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    """Return the normalised sum, and the sum itself: the residual stream that goes on."""
    y, total = AddRMSNorm.apply(x, residual, weight, eps)  # type: ignore[no-untyped-call]
    return y, total
