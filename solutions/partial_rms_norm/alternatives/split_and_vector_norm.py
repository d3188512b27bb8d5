"""Split as the authors' code does; the root mean square is the length of the first part over √k.

zh: 像作者的代码那样先用 split 切开；均方根是第一部分的长度除以 √k。
"""

import math

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.dim, self.p, self.eps = dim, p, eps
        self.weight = nn.Parameter(torch.empty(dim))
        self.register_parameter("bias", None)
        nn.init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        size = max(math.ceil(self.dim * self.p), 1)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        part, _ = torch.split(wide, [size, self.dim - size], dim=-1)
        length = part.norm(dim=-1, keepdim=True)
        return (self.weight * wide * math.sqrt(size) / torch.sqrt(length**2 + size * self.eps)).to(x.dtype)

    def extra_repr(self) -> str:
        return f"{self.dim}, p={self.p}, eps={self.eps}"
