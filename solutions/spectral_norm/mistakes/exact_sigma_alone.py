"""The decomposition is all there is."""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"n_power_iterations must be at least 1, but is {n_power_iterations}.")

    def forward(self, weight: Tensor) -> Tensor:
        return weight / torch.linalg.svdvals(weight.reshape(weight.shape[0], -1))[0]
