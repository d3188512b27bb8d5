"""The normalisation by a group norm with one group."""

from torch import nn
from torch.nn import functional as F


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer
        self.factor = layer**-0.5

    def forward(self, x):
        flat = F.group_norm(x.reshape(-1, x.shape[-1]), 1, self.norm.weight, self.norm.bias, self.norm.eps)
        return x + self.sublayer(flat.reshape(x.shape) * self.factor)
