import copy
import math

import torch
from torch import nn


class PostLayer(nn.Module):
    def __init__(self, dim, f):
        super().__init__()
        self.ln = nn.LayerNorm(dim)
        self.f = f

    def forward(self, x):
        return self.ln(x + self.f(x))


class PreLayer(nn.Module):
    def __init__(self, dim, f):
        super().__init__()
        self.ln = nn.LayerNorm(dim)
        self.f = f

    def forward(self, x):
        return x + self.f(self.ln(x))


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        n_post = math.ceil(len(sublayers) * post_ratio)
        self.layers = nn.ModuleList()
        for i, f in enumerate(sublayers):
            f = copy.deepcopy(f)
            self.layers.append(PostLayer(dim, f) if i < n_post else PreLayer(dim, f))
        self.final = nn.LayerNorm(dim)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.final(x).float()
