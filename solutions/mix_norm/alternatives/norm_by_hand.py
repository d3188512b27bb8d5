"""The norms are torch.nn.LayerNorms that are never called: mean and variance are written by hand, in float32 at least.

zh: 归一化层是 torch.nn.LayerNorm，但从不调用：均值和方差手写，至少用 float32。
"""

from fractions import Fraction

import torch
from torch import nn


def normalised(x, norm):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, dim=-1, keepdim=True, correction=0)
    return ((wide - mean) * torch.rsqrt(variance + norm.eps) * norm.weight + norm.bias).to(x.dtype)


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.norm = nn.ModuleList([nn.LayerNorm(dim) for _ in range(len(sublayers))])
        self.f = tuple(sublayers)
        for number, each in enumerate(sublayers):
            if isinstance(each, nn.Module):
                self.add_module(f"f{number}", each)
        self.cut = len(sublayers) * Fraction(post_ratio) // 1

    def forward(self, x):
        for norm, f in zip(self.norm[: self.cut], self.f[: self.cut], strict=True):
            x = normalised(x + f(x), norm)
        for norm, f in zip(self.norm[self.cut :], self.f[self.cut :], strict=True):
            x = x + f(normalised(x, norm))
        return x
