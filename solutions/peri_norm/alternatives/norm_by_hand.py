"""The norms are torch.nn.LayerNorms that are never called: mean and variance are written by hand, in float32 at least.

zh: 归一化层是 torch.nn.LayerNorm，但从不调用：均值和方差手写，至少用 float32。
"""

import torch
from torch import nn


def normalised(x, norm):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, dim=-1, keepdim=True, correction=0)
    return ((wide - mean) * torch.rsqrt(variance + norm.eps) * norm.weight + norm.bias).to(x.dtype)


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        needed = {"pre": ["norm_in"], "post": ["norm_out"], "output": ["norm_out"], "peri": ["norm_in", "norm_out"]}
        if placement not in needed:
            raise ValueError(f"{placement} is none of {', '.join(needed)}")
        for name in needed[placement]:
            self.add_module(name, nn.LayerNorm(dim))
        self.placement, self.sublayer = placement, sublayer

    def forward(self, x):
        given = normalised(x, self.norm_in) if hasattr(self, "norm_in") else x
        added = self.sublayer(given)
        if self.placement == "post":
            return normalised(x + added, self.norm_out)
        return x + (normalised(added, self.norm_out) if hasattr(self, "norm_out") else added)
