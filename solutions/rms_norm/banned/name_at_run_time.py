"""The library's own function, under a name that is put together at run time: it raises where it is called."""

import torch
from torch import Tensor, nn

normalise = getattr(torch.nn.functional, "_".join(["rms", "norm"]))


class RMSNorm(nn.Module):
    """RMS norm by the library."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return normalise(x, self.weight.shape, self.weight, self.eps)
