"""Sums over a stack of both paths, and a Sequential whose last child is `norm`.

zh: 把两条通路叠在一起再求和；堆叠是一个 Sequential，最后一个子模块是 `norm`。
"""

import torch
from torch import nn


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        return self.norm(torch.stack((x, self.sublayer(x)), dim=-1).sum(-1))


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        return torch.stack((x, self.sublayer(self.norm(x)))).sum(0)


class PreNormStack(nn.Sequential):
    def __init__(self, dim, sublayers):
        super().__init__(*(PreNorm(dim, sublayer) for sublayer in sublayers))
        self.add_module("norm", nn.LayerNorm(dim))
