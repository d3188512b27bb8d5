"""Partial RMS normalisation (Zhang and Sennrich 2019): the first features stand for all of them."""

import math

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    """y = γ · x / √(mean(x²) + ε), where the mean is taken over the first k = ⌈dim · p⌉ features of each position."""

    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.k = max(1, math.ceil(dim * p))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of a float16 overflows from 256 on
        first = wide[..., : self.k]  # (…, dim) → (…, k)
        mean_square = first.square().mean(dim=-1, keepdim=True)  # → (…, 1); divided by k
        y = wide / torch.sqrt(mean_square + self.eps)  # all features are divided
        y = y * self.weight
        return y.to(x.dtype)
