"""Every channel by itself first; then means and variances are pooled group by group: σ² = mean of variances + variance of means.

zh: 先单独处理每个通道；再逐组合并均值和方差：σ² = 方差的均值 + 均值的方差。
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
        own_mean = channels.mean(2)  # (N, C), all of them over the same number of positions
        own_var = channels.var(2, correction=0)
        mean = self.pooled(own_mean)
        var = self.pooled(own_var + (own_mean - mean).square())
        y = (channels - mean[..., None]) / torch.sqrt(var + self.eps)[..., None]
        if self.weight is not None:
            y = y * self.weight.view(1, -1, 1) + self.bias.view(1, -1, 1)
        return y.reshape(x.shape).to(x.dtype)

    def pooled(self, own: Tensor) -> Tensor:
        """The average over the channels of a group, given to each of them: (N, C) → (N, C)."""
        return torch.cat([part.mean(1, keepdim=True).expand_as(part) for part in own.chunk(self.num_groups, dim=1)], dim=1)
