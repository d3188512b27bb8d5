"""The channels are moved to the end, where weight and bias broadcast by themselves, and back again.

zh: 通道移到最后，weight 和 bias 在那里可以自动广播，然后再移回去。
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
        self.weight_shape = (num_channels,)
        self.weight = nn.Parameter(torch.ones(self.weight_shape)) if affine else None
        self.bias = nn.Parameter(torch.zeros(self.weight_shape)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        last = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, -1)
        rows = last.reshape(len(x), -1, self.num_groups, self.weight_shape[0] // self.num_groups)
        mean = rows.mean((1, 3), keepdim=True)
        var = (rows - mean.detach()).square().mean((1, 3), keepdim=True)  # the derivative by the mean is zero here anyway
        y = (rows - mean).div(var.add(self.eps).sqrt()).reshape(last.shape)
        if self.weight is not None:
            y = torch.mul(y, self.weight).add(self.bias)
        return y.movedim(-1, 1).to(x.dtype)
