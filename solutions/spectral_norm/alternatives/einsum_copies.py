"""einsum for every product; the new vectors are copied into the buffers, and σ is taken with the local ones.

zh: 所有乘积都用 einsum；新向量复制进缓冲区，σ 用局部的那两个向量计算。
"""

import torch
from torch import Tensor, einsum, nn


def unit(x: Tensor, eps: float) -> Tensor:
    return x / (einsum("i,i->", x, x).sqrt() + eps)


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(n_power_iterations)
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        rows = weight.detach().reshape(weight.size(0), -1)
        self.register_buffer("u", unit(torch.rand(rows.size(0), dtype=rows.dtype) - 0.5, eps))
        self.register_buffer("v", unit(einsum("ij,i->j", rows, self.u), eps))

    def forward(self, weight: Tensor) -> Tensor:
        rows = weight.reshape(weight.size(0), -1)
        u, v = self.u.clone(), self.v.clone()
        if self.training:
            constant = rows.detach()
            for _ in range(self.n_power_iterations):
                u = unit(einsum("ij,j->i", constant, v), self.eps)
                v = unit(einsum("ij,i->j", constant, u), self.eps)
            self.u.copy_(u)
            self.v.copy_(v)
        return weight * (1 / einsum("i,ij,j->", u, rows, v))
