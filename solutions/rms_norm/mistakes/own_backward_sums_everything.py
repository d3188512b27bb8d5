"""A backward pass by hand, in which sum(dim=()) sums the gradient of the weight over everything."""

from typing import Any

import torch
from torch import Tensor, nn


class Scale(torch.autograd.Function):
    """y = γ · x̂."""

    @staticmethod
    def forward(ctx: Any, normalised: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(normalised, weight)
        return normalised * weight

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        normalised, weight = ctx.saved_tensors
        d_weight = (grads[0] * normalised).sum(dim=tuple(range(normalised.dim() - 1)))
        return grads[0] * weight, d_weight.expand(weight.shape).to(weight.dtype)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        y = wide / torch.sqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        y = Scale.apply(y, self.weight)  # type: ignore[no-untyped-call]
        return y.to(x.dtype)
