"""In training σ is the length of W v, which equals uᵀ W v right after u has been made of it; in evaluation it is uᵀ W v.

zh: 训练时 σ 取 W v 的长度，u 刚由它得到，所以等于 uᵀ W v；评估时取 uᵀ W v。
"""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError("at least one iteration is needed")
        self.n, self.eps = n_power_iterations, eps
        u = torch.randn(weight.shape[0], dtype=weight.dtype)
        v = torch.randn(weight.numel() // weight.shape[0], dtype=weight.dtype)
        self.register_buffer("u", u / (u.norm() + eps))
        self.register_buffer("v", v / (v.norm() + eps))

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.reshape(len(self.u), len(self.v))
        if not self.training:
            return weight / torch.dot(self.u, matrix.mv(self.v))
        u = self.u
        for _ in range(self.n):
            with torch.no_grad():
                v = torch.mv(matrix.t(), u)
                v = v / (v.norm() + self.eps)
            stretched = torch.mv(matrix, v)
            sigma = stretched.norm()
            u = stretched.detach() / (sigma.detach() + self.eps)
        self.u, self.v = u, v
        if sigma == 0:  # has no slope
            return weight / torch.dot(u, matrix.mv(v))
        return weight / sigma
