"""A function with a backward pass of its own: the slope of x / √(x² + c) is c / (x² + c)^(3/2).

zh: 自己写反向传播的函数：x / √(x² + c) 的斜率是 c / (x² + c)^(3/2)。
"""

import torch
from torch import Tensor, nn


class Squash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, c):
        ctx.save_for_backward(x, c)
        return x / torch.sqrt(x * x + c)

    @staticmethod
    def backward(ctx, dy):
        x, c = ctx.saved_tensors
        cubed = dy * (x * x + c) ** -1.5
        return c * cubed, (-0.5 * x * cubed).sum().reshape(c.shape)


class DyISRU(nn.Module):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.scale = dim**0.5
        self.c = nn.Parameter(torch.full((1,), c))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        return (Squash.apply(x.to(wide), self.c.to(wide)) * (self.scale * self.weight) + self.bias).to(x.dtype)
