"""As Hugging Face computes it: the sum is rounded first, and the norm is an autograd function of its own. Autograd adds up the gradients.

zh: 按 Hugging Face 的算法：先把和舍入，再归一化；归一化是单独的 autograd 函数，梯度由 autograd 相加。
"""

from typing import Any

import torch
from torch import Tensor


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, total: Tensor, weight: Tensor, eps: float) -> Tensor:
        wide = total.to(torch.promote_types(total.dtype, torch.float32))
        reciprocal = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(total, weight, reciprocal)
        return (weight * (wide * reciprocal).to(total.dtype)).to(total.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        total, weight, reciprocal = ctx.saved_tensors
        normed, dy = total * reciprocal, grads[0].to(reciprocal.dtype)
        dnormed = dy * weight
        dtotal = reciprocal * (dnormed - normed * (dnormed * normed).mean(-1, keepdim=True))
        return dtotal.to(total.dtype), (dy * normed).reshape(-1, len(weight)).sum(0).to(weight.dtype), None


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    total = x + residual
    return RMSNorm.apply(total, weight, eps), total  # type: ignore[no-untyped-call]
