"""The length of the vector instead of the mean of its squares: x · √n / √(‖x‖² + n · eps).

zh: 不用平方的均值，而用向量的长度：x · √n / √(‖x‖² + n · eps)。
"""

import math

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        n = x.size(-1)
        length = wide.norm(dim=-1, keepdim=True)
        y = wide * math.sqrt(n) / torch.sqrt(length**2 + n * self.eps)
        return (y * self.weight).to(x.dtype)
