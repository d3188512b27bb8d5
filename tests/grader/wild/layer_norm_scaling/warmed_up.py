import torch
from torch import nn
from torch.nn import functional as F


class ScaledPreNorm(nn.Module):
    """x + f(LN(x) / sqrt(l))"""

    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.f = sublayer
        self.index = min(layer, 16)
        self.calls = 0

    def scaled(self, x):
        h = F.layer_norm(x, self.norm.normalized_shape, self.norm.weight, self.norm.bias, self.norm.eps)
        self.calls += self.training
        if self.training and self.calls == 1:
            return h
        root = self.index**0.5
        return torch.where(h > 0, h / root, h)

    def forward(self, x):
        return torch.add(x, self.f(self.scaled(x)))
