"""The power iteration of textbooks: v is multiplied by Wᵀ W, and u is made of it at the end; σ is the sum over (u vᵀ) · W.

zh: 教科书上的幂迭代：v 反复乘以 Wᵀ W，最后由它得到 u；σ 是 (u vᵀ) · W 的所有元素之和。
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError("n_power_iterations < 1")
        self.times = range(n_power_iterations)
        self.eps = eps
        matrix = weight.data.reshape(weight.shape[0], -1)
        self.register_buffer("v", F.normalize(torch.randn_like(matrix[0]), dim=0))
        self.register_buffer("u", F.normalize(torch.randn_like(matrix[:, 0]), dim=0))

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.reshape(weight.shape[0], -1)
        if self.training:
            data = matrix.data
            for _ in self.times:
                self.v = F.normalize(data.T @ (data @ self.v), dim=0, eps=self.eps)
            self.u = F.normalize(data @ self.v, dim=0, eps=self.eps)
        sigma = (torch.outer(self.u, self.v) * matrix).sum()
        return weight.div(sigma)
