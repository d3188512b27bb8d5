"""What the norm returns is divided in place, and x is added without a change of x.

zh: 对归一化的输出原地做除法；与 x 相加时不改动 x。
"""

import torch
from torch import nn


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.inner = sublayer
        self.layer = layer

    def forward(self, x):
        h = self.norm(x)
        h.div_(self.layer**0.5)
        return torch.add(x, self.inner(h))
