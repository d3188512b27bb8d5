"""The whole layer is an autograd function with a backward pass derived by hand.

zh: 整个层写成 autograd 函数，反向由手工推导。
"""

from typing import Any

import torch
from torch import Tensor, nn


class Respond(torch.autograd.Function):
    """max(γ · x̂ + β, τ) of (N, C, n); γ, β and τ are (C, 1)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, shift: Tensor, threshold: Tensor, eps: float) -> Tensor:
        r = torch.rsqrt(x.square().mean(2, keepdim=True) + eps)
        y = gain * (x * r) + shift
        ctx.save_for_backward(x * r, r, gain, y < threshold)
        return torch.maximum(y, threshold)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        normalised, r, gain, cut = ctx.saved_tensors
        kept = grads[0].masked_fill(cut, 0)
        through = gain * kept
        of_x = r * (through - normalised * (through * normalised).mean(2, keepdim=True))
        of_gain, of_shift = ((kept * each).sum((0, 2))[:, None] for each in (normalised, torch.ones_like(kept)))
        return of_x, of_gain, of_shift, grads[0].masked_fill(~cut, 0).sum((0, 2))[:, None], None


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim != 4:
            raise ValueError("x must have four dimensions")
        wide = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(2)
        learnt = (each.to(wide.dtype)[:, None] for each in (self.weight, self.bias, self.threshold))
        y: Tensor = Respond.apply(wide, *learnt, self.eps)  # type: ignore[no-untyped-call]
        return y.reshape(x.shape).to(x.dtype)
