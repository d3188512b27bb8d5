"""The backward pass by hand: dx = y · (dy − Σ dy · y).

zh: 手写反向传播：dx = y · (dy − Σ dy · y)。
"""

import torch
from torch import Tensor


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        e = torch.exp(x - torch.amax(x, dim, keepdim=True))
        y = e.div_(e.sum(dim, keepdim=True))
        ctx.dim = dim
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return y * (dy - (dy * y).sum(ctx.dim, keepdim=True)), None


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return Softmax.apply(x.to(torch.promote_types(x.dtype, torch.float32)), dim).to(x.dtype)
