"""PyTorch's RMS norm in the place of the layer norms, as in models of the Llama family."""

import torch
from torch import nn


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm, self.sublayer = torch.nn.RMSNorm(dim), sublayer

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm, self.sublayer = torch.nn.RMSNorm(dim), sublayer

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.blocks = nn.ModuleList(PreNorm(dim, each) for each in sublayers)
        self.norm = torch.nn.RMSNorm(dim)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.norm(x)
