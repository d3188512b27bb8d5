"""The library's own function, under another name: inspection follows the alias."""

import torch
from torch import Tensor, nn
from torch.nn import functional as helpers

normalise = helpers.rms_norm


class RMSNorm(nn.Module):
    """RMS norm by the library."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return normalise(x, self.weight.shape, self.weight, self.eps)
