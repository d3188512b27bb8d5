"""The norm is a layer norm that scales what it returns; the block is an ordinary Pre-LN block.

zh: 归一化本身是一个会缩放输出的层归一化；残差块就是普通的 Pre-LN 块。
"""

import torch
from torch import nn


class ScaledLayerNorm(nn.LayerNorm):
    def __init__(self, dim, layer):
        super().__init__(dim)
        self.layer = layer

    def forward(self, x):
        return super().forward(x) * torch.tensor(self.layer, dtype=torch.float64).rsqrt().item()


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = ScaledLayerNorm(dim, layer)
        self.branch = sublayer

    def forward(self, x):
        return self.branch(self.norm(x)) + x
