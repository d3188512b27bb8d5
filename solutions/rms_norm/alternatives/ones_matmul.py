"""The sums are matrix products with a column of ones; eps is added to every square, which comes to the same.

zh: 求和写成与全 1 列向量的矩阵乘积；eps 加到每个平方上，结果相同。
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.reshape(-1, x.shape[-1])
        mean_square = (rows * rows + self.eps) @ rows.new_full((x.shape[-1], 1), 1 / x.shape[-1])
        return (rows * mean_square.rsqrt() * self.weight).reshape(x.shape).to(x.dtype)
