"""The backward pass in terms of total: dx̂ · r − total · r³ · mean(dx̂ · total). It is marked as once differentiable; dresidual is a copy.

zh: 反向用 total 表示：dx̂ · r − total · r³ · mean(dx̂ · total)；标记为只能求导一次；dresidual 是副本。
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class Fused(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
        wide = torch.add(residual.to(torch.promote_types(x.dtype, torch.float32)), x)
        reciprocal = (torch.linalg.vecdot(wide, wide) / wide.shape[-1] + eps).rsqrt()
        y = torch.einsum("...d,...,d->...d", wide, reciprocal, weight.to(wide.dtype))
        return y.to(x.dtype), wide.to(x.dtype), reciprocal

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _y, total, reciprocal = output
        ctx.mark_non_differentiable(reciprocal)
        ctx.save_for_backward(inputs[2], total, reciprocal)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        weight, total, reciprocal = ctx.saved_tensors
        wide = total.to(reciprocal.dtype)
        dy, dtotal = (each.to(reciprocal.dtype) for each in grads[:2])
        r = reciprocal.unsqueeze(-1)
        dnormed = dy * weight
        dsum = dtotal + dnormed * r - wide * r**3 * (dnormed * wide).mean(-1, keepdim=True)
        dweight = (dy * wide * r).flatten(0, -2).sum(0) if dy.dim() > 1 else dy * wide * r
        dx = dsum.to(total.dtype)
        return dx, dx.clone(), dweight.to(weight.dtype), None


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    y, total, _reciprocal = Fused.apply(x, residual, weight, eps)  # type: ignore[no-untyped-call]
    return y, total
