"""Only the inputs are kept, and everything is computed again. Gradients that are not there, or not asked for, are None.

zh: 只保留输入，其余全部重算；没有传来的梯度和不需要的梯度都是 None。
"""

from typing import Any

import torch
from torch import Tensor


def summed(x: Tensor, residual: Tensor) -> Tensor:
    wide = torch.promote_types(x.dtype, torch.float32)
    return x.to(wide) + residual.to(wide)


class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, residual, weight)
        ctx.eps = eps
        total = summed(x, residual)
        rms = (total.square().mean(-1, keepdim=True) + eps).sqrt()
        return (total / rms * weight).to(x.dtype), total.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        x, residual, weight = ctx.saved_tensors
        dy, dtotal = grads
        dweight = None
        if dy is not None:
            total = summed(x, residual)
            rms = (total.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
            normed, wide = total / rms, dy.to(total.dtype)
            if ctx.needs_input_grad[2]:
                dweight = (wide * normed).reshape(-1, weight.shape[0]).sum(0).to(weight.dtype)
            if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
                dnormed = wide * weight
                through = (dnormed - normed * (dnormed * normed).mean(-1, keepdim=True)) / rms
                dtotal = through.to(x.dtype) if dtotal is None else (dtotal + through).to(x.dtype)
        dx, dresidual = (dtotal if needed else None for needed in ctx.needs_input_grad[:2])
        return dx, dresidual, dweight, None


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    return Fused.apply(x, residual, weight, eps)  # type: ignore[no-untyped-call,no-any-return]
