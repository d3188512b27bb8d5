"""The normalisation is an autograd function with a backward pass derived by hand.

zh: 归一化写成 autograd 函数，反向由手工推导。
"""

from math import ceil
from typing import Any

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = r · x with r = 1 / √(mean of the first k squares + ε)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, k: int, eps: float) -> Tensor:
        r = torch.rsqrt(x[..., :k].square().sum(dim=-1, keepdim=True) / k + eps)
        ctx.k = k
        ctx.save_for_backward(x, r)
        return x * r

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        x, r = ctx.saved_tensors
        direct = grads[0] * r
        through_r = (direct * x).sum(dim=-1, keepdim=True) * r.square() / ctx.k
        return torch.cat([direct[..., : ctx.k] - through_r * x[..., : ctx.k], direct[..., ctx.k :]], dim=-1), None, None


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.options = {"k": ceil(dim * p) or 1, "eps": eps}
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        normalised: Tensor = Normalise.apply(wide, self.options["k"], self.options["eps"])  # type: ignore[no-untyped-call]
        return (normalised * self.weight).to(x.dtype)
