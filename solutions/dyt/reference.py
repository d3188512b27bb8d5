"""Dynamic Tanh (Zhu et al. 2025)."""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    """y = γ · tanh(α · x) + β, number by number: α is one number for the whole layer, γ and β belong to a feature."""

    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(float(alpha)))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        squashed = torch.tanh(self.alpha * x)  # between −1 and 1, whatever x is
        y = self.weight * squashed + self.bias
        return y.to(x.dtype)  # float32 parameters have made half precision wider
