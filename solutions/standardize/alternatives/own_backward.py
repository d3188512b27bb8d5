"""The backward pass by hand: dx = (dz − mean(dz) − z · mean(dz · z)) / σ, and 0 for a constant feature.

zh: 手写反向传播：dx = (dz − mean(dz) − z · mean(dz · z)) / σ，常数特征处为 0。
"""

import torch
from torch import Tensor


class Standardize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        varied = x.max(0).values > x.min(0).values
        varied |= x.isnan().any(0)
        centred = (x - x.mean(0)) * varied
        factor = torch.where(varied, centred.pow(2).mean(0).rsqrt(), 0.0)
        z = centred * factor
        ctx.save_for_backward(z, factor)
        return z

    @staticmethod
    def backward(ctx, dz):
        z, factor = ctx.saved_tensors
        return factor * (dz - dz.mean(0) - z * (dz * z).mean(0))


def standardize(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("two dimensions are needed")
    return Standardize.apply(x.to(torch.promote_types(x.dtype, torch.float32))).to(x.dtype)
