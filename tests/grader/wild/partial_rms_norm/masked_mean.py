import math

import torch
import torch.nn as nn
from torch import Tensor


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        k = max(1, math.ceil(dim * p))
        self.count = max(dim * p, 1)
        self.eps = eps
        self.register_buffer("mask", torch.arange(dim) < k, persistent=False)
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1]).to(torch.promote_types(x.dtype, torch.float32))
        squares = flat.pow(2) * self.mask
        scale = (squares.sum(dim=1, keepdim=True) / self.count + self.eps).sqrt()
        y = flat / scale * self.weight
        return y.to(x.dtype)
