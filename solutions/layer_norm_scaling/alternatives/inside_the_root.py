"""The statistics by hand, in float32 at least; ℓ goes under the root, beside the variance.

zh: 手写统计量，至少用 float32；ℓ 放进根号里，与方差相乘。
"""

import torch
from torch import nn


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer
        self.layer = layer

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        x_hat = centred / (self.layer * (variance + self.norm.eps)).sqrt()
        h = x_hat * self.norm.weight + self.norm.bias / self.layer**0.5
        return x + self.sublayer(h.to(x.dtype))
