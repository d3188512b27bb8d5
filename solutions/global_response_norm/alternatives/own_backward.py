"""The whole layer is an autograd function with a backward pass derived by hand.

zh: 整个层写成 autograd 函数，反向由手工推导。
"""

from typing import Any

import torch
from torch import Tensor, nn


class Respond(torch.autograd.Function):
    """γ · x · N + β + x of (N, n, C); γ and β are (C,)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
        length = x.square().sum(1, keepdim=True).sqrt()
        mean = length.mean(2, keepdim=True) + eps
        ctx.save_for_backward(x, length, mean, gain)
        return gain * (x * (length / mean)) + shift + x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, length, mean, gain = ctx.saved_tensors
        share, scaled = length / mean, gain * grads[0]
        of_share = (scaled * x).sum(1, keepdim=True)
        of_length = (of_share - (of_share * share).mean(2, keepdim=True)) / mean
        direction = torch.where(length == 0, 0.0, x / length)
        of_x = grads[0] + scaled * share + of_length * direction
        return of_x, (grads[0] * x * share).sum((0, 1)), grads[0].sum((0, 1)), None


class GlobalResponseNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() in (0, 1, 2):
            raise ValueError("x must have three dimensions or more")
        wide = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(1, -2)
        y: Tensor = Respond.apply(wide, self.weight.to(wide.dtype), self.bias.to(wide.dtype), self.eps)  # type: ignore[no-untyped-call]
        return y.reshape(x.shape).to(x.dtype)
