"""A function with a backward pass of its own, the two formulas of the paper.

zh: 自己写反向传播的函数，用论文中的两个公式。
"""

import torch
from torch import Tensor, nn


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, v, dim):
        axes = [axis for axis in range(v.dim()) if axis != dim]
        total = (lambda each: each.sum(axes, keepdim=True)) if axes else (lambda each: each)
        length = total(v * v).sqrt()
        ctx.save_for_backward(g, v, length)
        ctx.total = total
        return v * (g / length)

    @staticmethod
    def backward(ctx, gradient):
        g, v, length = ctx.saved_tensors
        of_g = ctx.total(gradient * v) / length
        return of_g, g / length * gradient - g * of_g / length**2 * v, None


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.v = nn.Parameter(weight.detach().clone())
        axes = [axis for axis in range(weight.dim()) if axis != dim]
        length = torch.linalg.vector_norm(self.v.detach(), dim=axes, keepdim=True) if axes else self.v.detach().abs()
        self.g = nn.Parameter(length)

    def forward(self) -> Tensor:
        wide = torch.promote_types(self.v.dtype, torch.float32)
        return Scaled.apply(self.g.to(wide), self.v.to(wide), self.dim).to(self.v.dtype)
