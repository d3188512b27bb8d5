"""Back in the input's dtype before the scale and the shift: one more rounding, the same dtype.

zh: 缩放和平移之前就转换回输入的 dtype：多一次舍入，dtype 不变。
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
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        grouped = wide.reshape(x.shape[0], self.num_groups, x.shape[1] // self.num_groups, *x.shape[2:])
        dims = [*range(2, grouped.dim())]
        mean = grouped.mean(dims, True)
        var = grouped.var(dims, False, True)
        y = ((grouped - mean) / torch.sqrt(var + self.eps)).to(x.dtype).reshape(x.shape)
        if self.weight is not None:
            index = (..., *[None] * (x.dim() - 2))
            y = self.weight.to(x.dtype)[index] * y
            y = y + self.bias.to(x.dtype)[index]
        return y
