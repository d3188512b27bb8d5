"""Everything in float64, whatever comes in, and rounded once.

zh: 无论输入是什么类型，一切都在 float64 中计算，只舍入一次。
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
        groups = x.double().unflatten(1, (self.num_groups, -1)).flatten(2)
        centred = groups - groups.mean(2, keepdim=True)
        y = centred / torch.sqrt(torch.mean(centred * centred, 2, keepdim=True) + self.eps)
        y = y.reshape(x.shape)
        if self.weight is not None:
            y = y.transpose(1, -1) * self.weight.double() + self.bias.double()
            y = y.transpose(1, -1)
        return y.to(x.dtype)
