"""Spectral normalisation (Miyato et al. 2018): the weight over its largest singular value, which power iteration follows in training."""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    """weight / σ with σ = uᵀ W v: W is the weight as a matrix, u and v estimate its first singular vectors."""

    u: Tensor  # (out,)
    v: Tensor  # (rest,)

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"n_power_iterations must be at least 1, but is {n_power_iterations}.")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        out, rest = as_matrix(weight).shape
        self.register_buffer("u", self.unit(torch.randn(out)).to(weight.dtype))
        self.register_buffer("v", self.unit(torch.randn(rest)).to(weight.dtype))

    def forward(self, weight: Tensor) -> Tensor:
        matrix = as_matrix(weight)
        if self.training:
            self.iterate(matrix)
        sigma = self.u @ matrix @ self.v  # u and v are constants here: the gradient flows through the matrix
        return weight / sigma

    @torch.inference_mode(False)  # what inference_mode makes could never be used with gradients again
    @torch.no_grad()
    def iterate(self, matrix: Tensor) -> None:
        """Turn u and v towards the first singular vectors; new tensors, for a graph of an earlier forward may still need the old."""
        for _ in range(self.n_power_iterations):
            self.v = self.unit(matrix.T @ self.u)
            self.u = self.unit(matrix @ self.v)

    def unit(self, vector: Tensor) -> Tensor:
        return vector / torch.linalg.vector_norm(vector).clamp(min=self.eps)


def as_matrix(weight: Tensor) -> Tensor:
    """(out, …) → (out, rest); a weight of one dimension becomes a column."""
    return weight.reshape(weight.shape[0], -1)
