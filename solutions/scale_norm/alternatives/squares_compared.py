"""ε² bounds the sum of squares, in float64, so that rsqrt needs no root before it.

zh: 在 float64 中用 ε² 给平方和定下限，于是可以直接用 rsqrt。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.double()
        reciprocal = torch.rsqrt(wide.square().sum(-1, keepdim=True).clamp_min(self.eps**2))
        return (wide * reciprocal * self.g).to(x.dtype)
