"""Sums are computed in float32 at least, from one end of the stack to the other; each sublayer is given the dtype of x.

zh: 从堆叠的一端到另一端，和都至少用 float32 计算；每个子层收到的是 x 的 dtype。
"""

import torch
from torch import nn
from torch.nn import functional as F


def wide_type(x):
    return torch.promote_types(x.dtype, torch.float32)


def layer_norm(wide, norm):
    return F.layer_norm(wide, norm.normalized_shape, norm.weight.to(wide.dtype), norm.bias.to(wide.dtype), norm.eps)


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        wide = x.to(wide_type(x)) + self.sublayer(x).to(wide_type(x))
        return layer_norm(wide, self.norm).to(x.dtype)


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def added(self, wide, dtype):
        return wide + self.sublayer(layer_norm(wide, self.norm).to(dtype)).to(wide.dtype)

    def forward(self, x):
        return self.added(x.to(wide_type(x)), x.dtype).to(x.dtype)


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.blocks = nn.ModuleList([PreNorm(dim, sublayer) for sublayer in sublayers])
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        wide = x.to(wide_type(x))
        for block in self.blocks:
            wide = block.added(wide, x.dtype)
        return layer_norm(wide, self.norm).to(x.dtype)
