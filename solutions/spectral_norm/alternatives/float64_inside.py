"""Everything is computed in float64, the buffers included; the result goes back to the weight's dtype.

zh: 一切都在 float64 中计算，缓冲区也不例外；结果转换回权重的 dtype。
"""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"{n_power_iterations} iterations")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        self.register_buffer("u", self.shortened(torch.randn(weight.shape[0], dtype=torch.float64)))
        self.register_buffer("v", self.shortened(torch.randn(weight[0].numel(), dtype=torch.float64)))

    def shortened(self, vector: Tensor) -> Tensor:
        return vector / max(vector.norm().item(), self.eps)

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.double().view(self.u.numel(), -1) if weight.is_contiguous() else weight.double().flatten(1)
        if self.training:
            self.iterate(matrix.detach())
        return (weight.double() / (self.u[:, None] * matrix * self.v).sum()).to(weight.dtype)

    def iterate(self, matrix: Tensor) -> None:
        for _ in range(self.n_power_iterations):
            self.u = self.shortened(matrix @ self.v)
            self.v = self.shortened(self.u @ matrix)
