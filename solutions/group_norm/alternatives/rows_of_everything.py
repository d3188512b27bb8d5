"""Samples and groups share one dimension; the deviation from Tensor.std is squared again, so that eps can join it inside the root.

zh: 样本与组合成一维；Tensor.std 得到的标准差再平方，这样 eps 就能加进根号里面。
"""

import torch
from torch import Tensor, nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype in (torch.float32, torch.float64) else x.float()
        rows = wide.reshape(x.size(0) * self.num_groups, -1)
        std = rows.std(1, unbiased=False, keepdim=True)
        rows = (rows - rows.mean(1, keepdim=True)) / (std**2 + self.eps).sqrt()
        y = rows.reshape(x.size(0), x.size(1), -1)
        if self.weight is not None:
            y = y * self.weight.unsqueeze(-1)
        if self.bias is not None:
            y = y + self.bias.unsqueeze(-1)
        return y.type(x.dtype).reshape_as(x)
