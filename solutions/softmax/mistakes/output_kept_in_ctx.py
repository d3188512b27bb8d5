"""A backward pass by hand that keeps the output as an attribute of ctx, where PyTorch does not notice that it was changed in place."""

from typing import Any

import torch
from torch import Tensor


class Softmax(torch.autograd.Function):
    """dx = y · (dy − Σ dy · y)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        e = torch.exp(wide - wide.amax(dim, keepdim=True))
        ctx.dim = dim
        ctx.y = (e / e.sum(dim, keepdim=True)).to(x.dtype)
        return ctx.y  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        y, dy = (each.to(torch.promote_types(each.dtype, torch.float32)) for each in (ctx.y, grads[0]))
        return (y * (dy - (dy * y).sum(ctx.dim, keepdim=True))).to(grads[0].dtype), None


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return Softmax.apply(x, dim)  # type: ignore[no-untyped-call, no-any-return]
