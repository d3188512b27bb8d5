"""u and v are parameters; the iteration writes their data."""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"n_power_iterations must be at least 1, but is {n_power_iterations}.")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        out, rest = as_matrix(weight).shape
        self.u = nn.Parameter(self.unit(torch.randn(out)))
        self.v = nn.Parameter(self.unit(torch.randn(rest)))

    def forward(self, weight: Tensor) -> Tensor:
        matrix = as_matrix(weight)
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    self.v.data = self.unit(matrix.T @ self.u)
                    self.u.data = self.unit(matrix @ self.v)
        return weight / (self.u.clone() @ matrix @ self.v.clone())

    def unit(self, vector: Tensor) -> Tensor:
        return vector / torch.linalg.vector_norm(vector).clamp(min=self.eps)


def as_matrix(weight: Tensor) -> Tensor:
    return weight.reshape(weight.shape[0], -1)
