"""A mask, a buffer that is not saved, chooses the features that count; where puts zeros in place of the others.

zh: 用掩码（不保存的缓冲区）选出参与统计的特征；where 把其余的换成零。
"""

import math

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    counts: Tensor

    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.register_buffer("counts", torch.arange(dim) < max(1, math.ceil(p * dim)), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        squares = torch.where(self.counts, wide, 0.0) ** 2
        mean_square = squares.sum(-1, keepdim=True) / int(self.counts.sum())
        return wide.div((mean_square + self.eps).sqrt()).mul(self.weight).type_as(x)
