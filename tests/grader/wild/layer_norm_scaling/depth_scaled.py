import torch
from torch import nn


class ScaledPreNorm(nn.Module):
    """Pre-LN, LN output scaled by 1/sqrt(l)"""

    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = sublayer
        factor = torch.tensor(1.0 / (layer + 1) ** 0.5)
        self.register_buffer("factor", factor)

    def forward(self, x):
        h = self.norm(x) * self.factor
        y = self.fn(h.reshape(-1, x.shape[-1])).view_as(x)
        x += y
        return x

