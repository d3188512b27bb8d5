"""The sums are contractions: einsum for the mean, and of the centred groups with themselves for the variance.

zh: 求和写成缩并：用 einsum 求均值，并让中心化的组与自身缩并得到方差。
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
        n, c = x.shape[:2]
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        groups = wide.reshape(n, self.num_groups, c // self.num_groups, -1)
        count = groups[0, 0].numel()
        mean = torch.einsum("ngcp->ng", groups) / count
        centred = groups - mean[..., None, None]
        var = torch.einsum("ngcp,ngcp->ng", centred, centred) / count
        y = torch.einsum("ngcp,ng->ngcp", centred, (var + self.eps) ** -0.5).reshape(n, c, -1)
        if self.weight is not None:
            y = torch.einsum("ncp,c->ncp", y, self.weight.to(y.dtype)) + self.bias[:, None]
        return y.reshape(x.shape).to(x.dtype)
