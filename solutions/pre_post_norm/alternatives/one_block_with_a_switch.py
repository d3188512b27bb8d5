"""Both blocks are one class with a switch, and the stack is an nn.Sequential of them.

zh: 两种块是同一个带开关的类，堆叠是由它们组成的 nn.Sequential。
"""

import torch
from torch import nn


class Residual(nn.Module):
    norm_first = False

    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        first, last = (self.norm, nn.Identity()) if self.norm_first else (nn.Identity(), self.norm)
        return last(torch.add(x, self.sublayer(first(x))))


class PostNorm(Residual):
    pass


class PreNorm(Residual):
    norm_first = True


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.layers = nn.Sequential(*(PreNorm(dim, each) for each in sublayers))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(self.layers(x))
