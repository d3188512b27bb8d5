"""The norms are torch.nn.LayerNorms that are never called: mean and variance are written by hand, in float32 at least.

zh: 归一化层是 torch.nn.LayerNorm，但从不调用：均值和方差手写，至少用 float32。
"""

import torch
from torch import nn


def normalised(x, norm):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, dim=-1, keepdim=True, correction=0)
    return ((wide - mean) * torch.rsqrt(variance + norm.eps) * norm.weight + norm.bias).to(x.dtype)


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return normalised(x + self.sublayer(x), self.norm)


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return x + self.sublayer(normalised(x, self.norm))


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.depth = len(sublayers)
        for number, sublayer in enumerate(sublayers):
            self.add_module(f"block{number}", PreNorm(dim, sublayer))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for number in range(self.depth):
            x = self.get_submodule(f"block{number}")(x)
        return normalised(x, self.norm)
