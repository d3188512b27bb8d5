import torch
from torch import nn


def add_and_norm(x, f, norm):
    y = norm(x + f(x))
    return y + x


def norm_and_add(x, f, norm, scale=1.0):
    h = f(norm(x))
    return x.clamp(-2, 2) + (h if scale == 1.0 else scale * h)


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.f = sublayer

    def forward(self, x):
        return add_and_norm(x, self.f, self.norm)


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer, scale=1.0):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.f = sublayer
        self.scale = scale

    def forward(self, x):
        return norm_and_add(x, self.f, self.norm, self.scale)


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        scale = len(sublayers) ** -0.5 if sublayers else 1.0
        self.blocks = nn.ModuleList(PreNorm(dim, f, scale) for f in sublayers)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.norm(x) if len(self.blocks) else x
