"""A function with a backward pass of its own: dy · γ · (1 − t²), times α for x, times x for α.

zh: 自己写反向传播的函数：dy · γ · (1 − t²)，对 x 乘以 α，对 α 乘以 x。
"""

import torch
from torch import Tensor, nn


class Squash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha, weight, bias):
        squashed = torch.tanh(alpha * x)
        ctx.save_for_backward(x, alpha, weight, squashed)
        return weight * squashed + bias

    @staticmethod
    def backward(ctx, dy):
        x, alpha, weight, squashed = ctx.saved_tensors
        rows = tuple(range(dy.dim() - 1))
        inner = dy * weight * (1 - squashed * squashed)
        over_rows = (lambda each: each.sum(rows)) if rows else (lambda each: each)
        return alpha * inner, (inner * x).sum().reshape(alpha.shape), over_rows(dy * squashed), over_rows(dy)


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.full((1,), alpha))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        return Squash.apply(*(each.to(wide) for each in (x, self.alpha, self.weight, self.bias))).to(x.dtype)
