import torch
from torch import nn


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.fn = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(self.norm(x.detach() + self.fn(x)))


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = sublayer

    def forward(self, x):
        residual = x.detach()
        return residual + self.fn(self.norm(x))


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        parts = nn.ModuleList(sublayers)
        self.layers = nn.Sequential(*(PreNorm(dim, part) for part in parts))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i % 2 == 1:
                x = self.norm(x)
        return self.norm(x)

