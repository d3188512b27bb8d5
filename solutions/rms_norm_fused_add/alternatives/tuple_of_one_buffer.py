"""Both outputs are halves of one piece of memory, which are views of it; backward takes the projection along total.

zh: 两个输出是同一块内存的两半（视图）；反向写成沿 total 方向的投影。
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor


class Result(NamedTuple):
    y: Tensor
    total: Tensor


class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32)) + residual
        square = wide.square().mean(-1, keepdim=True) + eps
        outputs = torch.stack([wide / square.sqrt() * weight, wide]).to(x.dtype)
        ctx.save_for_backward(outputs, weight, square)
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        outputs, weight, square = ctx.saved_tensors
        dy, dtotal = grads[0].to(square.dtype).unbind()
        total = outputs[1].to(square.dtype)
        dnormed = dy * weight
        along = (dnormed * total).mean(-1, keepdim=True) / square
        dsum = (dtotal + (dnormed - along * total) / square.sqrt()).to(outputs.dtype)
        return dsum, dsum, (dy * total / square.sqrt()).sum_to_size(weight.shape).to(weight.dtype), None


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    return Result(*Fused.apply(x, residual, weight, eps))  # type: ignore[no-untyped-call]
