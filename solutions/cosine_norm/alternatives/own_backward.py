"""A function with a backward pass of its own: the part of the gradient along the unit vector is removed, but where eps divides.

zh: 自己写反向传播的函数：去掉梯度沿单位向量的分量，只有除以 eps 的地方例外。
"""

import torch
from torch import Tensor, nn


class Unit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, vectors, eps):
        lengths = vectors.square().sum(-1, keepdim=True).sqrt()
        divisor = lengths.clamp(min=eps)
        result = vectors / divisor
        ctx.save_for_backward(result, divisor, lengths > eps)
        return result

    @staticmethod
    def backward(ctx, gradient):
        unit, divisor, longer = ctx.saved_tensors
        along = (gradient * unit).sum(-1, keepdim=True) * longer
        return (gradient - along * unit) / divisor, None


class CosineLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        nn.init.orthogonal_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        x_unit, w_unit = Unit.apply(x.to(wide), self.eps), Unit.apply(self.weight.to(wide), self.eps)
        return torch.matmul(x_unit, w_unit.t()).to(x.dtype)
