"""A single buffer, u; every forward iterates from it, and training stores the new one."""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"n_power_iterations must be at least 1, but is {n_power_iterations}.")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        self.register_buffer("u", self.unit(torch.randn(weight.shape[0])))

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.reshape(weight.shape[0], -1)
        u = self.u
        with torch.no_grad():
            for _ in range(self.n_power_iterations):
                v = self.unit(matrix.T @ u)
                u = self.unit(matrix @ v)
        if self.training:
            self.u = u
        return weight / (u @ matrix @ v)

    def unit(self, vector: Tensor) -> Tensor:
        return vector / torch.linalg.vector_norm(vector).clamp(min=self.eps)
