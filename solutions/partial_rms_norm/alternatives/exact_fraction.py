"""k is rounded up from an exact fraction; the result goes back to the input's dtype before the weight.

zh: k 由精确的分数向上取整得到；乘以权重之前就转换回输入的 dtype。
"""

from fractions import Fraction

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.first = -(-dim * Fraction(str(p)) // 1) or 1
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float() if x.dtype != torch.float64 else x
        reciprocal = torch.rsqrt(wide.narrow(-1, 0, int(self.first)).pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * reciprocal).to(x.dtype) * self.weight.to(x.dtype)
