"""A pure function of one position, mapped over all of them; eps enters the dot product k times.

zh: 写一个只处理单个位置的纯函数，映射到所有位置；eps 在内积中加了 k 次。
"""

import math

import torch
from torch import Tensor, nn


def normalised(position: Tensor, weight: Tensor, k: int, eps: float) -> Tensor:
    """One position, a vector, by the mean square of its first k numbers."""
    first = position[:k]
    return position * weight * torch.sqrt(k / (torch.dot(first, first) + k * eps))


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.k, self.eps = max(1, math.ceil(dim * p)), eps

    def forward(self, x: Tensor) -> Tensor:
        positions = x.reshape(-1, x.shape[-1]).to(torch.promote_types(x.dtype, torch.float32))
        one_by_one = torch.vmap(normalised, in_dims=(0, None, None, None))
        return one_by_one(positions, self.weight.to(positions.dtype), self.k, self.eps).reshape(x.shape).to(x.dtype)
