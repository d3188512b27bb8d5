"""The normalisation is an autograd function with a backward pass derived by hand.

zh: 归一化写成 autograd 函数，反向由手工推导。
"""

from typing import Any

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = x / √(mean(x²) + ε), and dx = (dy − x̂ · mean(dy · x̂)) / √(mean(x²) + ε)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        reciprocal = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
        normalised = x * reciprocal
        ctx.save_for_backward(normalised, reciprocal)
        return normalised

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        normalised, reciprocal = ctx.saved_tensors
        dy = grads[0]
        along = (dy * normalised).mean(dim=-1, keepdim=True)
        return (dy - normalised * along) * reciprocal, None


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        normalised: Tensor = Normalise.apply(wide, self.eps)  # type: ignore[no-untyped-call]
        return (normalised * self.weight).to(x.dtype)
