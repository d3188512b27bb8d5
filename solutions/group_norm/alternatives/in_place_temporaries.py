"""The result is built in place in a tensor of its own; a helper that is no part of the state is a buffer with persistent=False.

zh: 结果在自己新建的张量中原地算出；不属于状态的辅助量是 persistent=False 的缓冲区。
"""

import torch
from torch import Tensor, nn


class GroupNorm(nn.Module):
    group_of_channel: Tensor

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("the channels cannot be split evenly")
        self.eps = eps
        number = torch.arange(num_channels) // (num_channels // num_groups)
        self.register_buffer("group_of_channel", number, persistent=False)
        self.register_parameter("weight", nn.Parameter(torch.ones(num_channels)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_channels)) if affine else None)

    def forward(self, x: Tensor) -> Tensor:
        parts = x.to(torch.promote_types(x.dtype, torch.float32), copy=True).movedim(1, 0)
        parts = parts.split(self.group_of_channel.bincount().tolist())
        y = torch.cat([self.normalised(part) for part in parts]).movedim(0, 1)
        if self.weight is not None and self.bias is not None:
            shape = [-1] + [1] * (x.dim() - 2)
            y = y.mul(self.weight.reshape(shape)).add_(self.bias.reshape(shape))
        return y.to(x.dtype)

    def normalised(self, part: Tensor) -> Tensor:
        """The channels of one group, with the samples in dimension 1."""
        dims = [0, *range(2, part.dim())]
        part = part - part.mean(dims, keepdim=True)
        var = part.pow(2).mean(dims, keepdim=True)
        return part / var.add_(self.eps).sqrt_()
