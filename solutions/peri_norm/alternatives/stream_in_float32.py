"""Sums are computed in float32 at least, and each norm is `F.layer_norm`; the sublayer is given the dtype of x.

zh: 和至少用 float32 计算，归一化用 `F.layer_norm`；子层收到的是 x 的 dtype。
"""

import torch
from torch import nn
from torch.nn import functional as F


def layer_norm(wide, norm):
    return F.layer_norm(wide, norm.normalized_shape, norm.weight.to(wide.dtype), norm.bias.to(wide.dtype), norm.eps)


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        if placement not in ("pre", "post", "output", "peri"):
            raise ValueError(placement)
        self.placement, self.sublayer = placement, sublayer
        if placement in ("pre", "peri"):
            self.norm_in = nn.LayerNorm(dim)
        if placement != "pre":
            self.norm_out = nn.LayerNorm(dim)

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        given = layer_norm(x.to(wide), self.norm_in).to(x.dtype) if self.placement in ("pre", "peri") else x
        added = self.sublayer(given).to(wide)
        if self.placement in ("output", "peri"):
            added = layer_norm(added, self.norm_out)
        total = x.to(wide) + added
        return (layer_norm(total, self.norm_out) if self.placement == "post" else total).to(x.dtype)
