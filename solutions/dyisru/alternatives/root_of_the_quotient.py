"""One root of a quotient, √(dim / (x² + c)), by which x is multiplied.

zh: 只开一次方：x 乘以商 dim / (x² + c) 的平方根。
"""

import torch
from torch import Tensor, nn


class DyISRU(nn.Module):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.dim = dim
        self.c = nn.Parameter(torch.tensor([c]))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        slope = torch.sqrt(self.dim / (wide.square() + self.c))
        return (self.weight * (slope * wide) + self.bias).to(x.dtype)
