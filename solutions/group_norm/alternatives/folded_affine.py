"""Mean, deviation, weight and bias folded into one scale and one shift per sample and channel: y = x · a + b.

zh: 均值、标准差、weight 和 bias 合并成每个样本每个通道的一个缩放和一个平移：y = x · a + b。
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
        n, c, *positions = x.shape
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.reshape(n, self.num_groups, -1)
        var, mean = torch.var_mean(rows, dim=2, unbiased=False)
        size = c // self.num_groups
        a = torch.rsqrt(var + self.eps).repeat_interleave(size, dim=1)
        if self.weight is not None:
            a = a * self.weight
        b = -mean.repeat_interleave(size, dim=1) * a
        if self.bias is not None:
            b = b + self.bias
        ones = [1] * len(positions)
        return (wide * a.view(n, c, *ones) + b.view(n, c, *ones)).to(x.dtype)
