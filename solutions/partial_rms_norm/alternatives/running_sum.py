"""All running sums of the squares are taken; the k-th of them is the one that counts.

zh: 求出平方的所有累加和；其中第 k 个就是要用的。
"""

import math

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.last = max(0, math.ceil(dim * p) - 1)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.double()
        sums = torch.cumsum(wide[..., : self.last + 1] * wide[..., : self.last + 1], dim=-1)
        mean_square = sums[..., self.last].unsqueeze(-1) / (self.last + 1)
        return (self.weight.double() * (wide * (mean_square + self.eps) ** -0.5)).to(x.dtype)
