"""Everything between the two casts is computed in float64.

zh: 两次类型转换之间，一切都在 float64 中计算。
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.double()
        mean_square = (wide * wide).sum(-1, keepdim=True) / self.weight.numel()
        return (self.weight.double() * wide / torch.sqrt(mean_square + self.eps)).to(x.dtype)
