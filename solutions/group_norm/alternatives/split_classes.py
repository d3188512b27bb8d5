"""One module holds scale and shift and is inherited, a plain function normalises rows, from the length of the centred vector.

zh: 缩放和平移放在一个供继承的模块中，各行的归一化由普通函数完成，用的是中心化向量的长度。
"""

import math

import torch
from torch import Tensor, nn


def normalised(rows: Tensor, eps: float) -> Tensor:
    n = rows.shape[-1]
    centred = rows - rows.sum(-1, keepdim=True) / n
    length = torch.linalg.vector_norm(centred, dim=-1, keepdim=True)
    return centred * math.sqrt(n) / torch.sqrt(length**2 + n * eps)


class ChannelAffine(nn.Module):
    def __init__(self, channels: int, enabled: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels)) if enabled else None
        self.bias = nn.Parameter(torch.zeros(channels)) if enabled else None

    def affine(self, y: Tensor) -> Tensor:
        if self.weight is None or self.bias is None:
            return y
        shape = (1, -1, *[1] * (y.dim() - 2))
        return y * self.weight.view(shape) + self.bias.view(shape)


class GroupNorm(ChannelAffine):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        if num_channels // num_groups * num_groups != num_channels:
            raise ValueError(f"{num_groups=} does not divide {num_channels=}")
        super().__init__(num_channels, affine)
        self.num_groups = num_groups
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.reshape(-1, wide[0].numel() // self.num_groups)
        return self.affine(normalised(rows, self.eps).reshape(x.shape)).to(x.dtype)
