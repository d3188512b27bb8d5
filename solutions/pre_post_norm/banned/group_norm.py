"""The normalisation by a group norm with one group."""

from torch import nn
from torch.nn import functional as F


def normalised(x, norm):
    flat = F.group_norm(x.reshape(-1, x.shape[-1]), 1, norm.weight, norm.bias, norm.eps)
    return flat.reshape(x.shape)


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm, self.sublayer = nn.LayerNorm(dim), sublayer

    def forward(self, x):
        return normalised(x + self.sublayer(x), self.norm)


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm, self.sublayer = nn.LayerNorm(dim), sublayer

    def forward(self, x):
        return x + self.sublayer(normalised(x, self.norm))


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.blocks = nn.ModuleList(PreNorm(dim, each) for each in sublayers)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return normalised(x, self.norm)
