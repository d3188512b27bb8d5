"""Every channel by itself first; a matrix of who belongs where pools means and variances: σ² = mean of variances + variance of means.

zh: 先单独处理每个通道；再用一个表示通道归属的矩阵合并均值和方差：σ² = 方差的均值 + 均值的方差。
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
        channels = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(x.shape[0], x.shape[1], -1)
        number = torch.arange(x.shape[1]) // (x.shape[1] // self.num_groups)
        same = (number[:, None] == number).to(channels.dtype)  # (C, C): 1 where two channels share a group
        pool = same / same.sum(1)
        own_mean = channels.mean(2)  # (N, C), all of them over the same number of positions
        own_var = channels.var(2, correction=0)
        mean = own_mean @ pool
        var = (own_var + self.between(own_mean, mean)) @ pool
        y = (channels - mean[..., None]) / torch.sqrt(var + self.eps)[..., None]
        if self.weight is not None:
            y = y * self.weight.view(1, -1, 1) + self.bias.view(1, -1, 1)
        return y.reshape(x.shape).to(x.dtype)

    @staticmethod
    def between(own_mean: Tensor, mean: Tensor) -> Tensor:
        return (own_mean - mean).square()
