"""Each layer is a LayerNorm itself, of a class of its own, and holds its sublayer.

zh: 每一层本身就是一个 LayerNorm 的子类，并保存自己的子层。
"""

import math

from torch import nn


class Residual(nn.LayerNorm):
    def __init__(self, dim, sublayer, post):
        super().__init__(dim)
        self.sublayer = sublayer
        self.post = post

    def forward(self, x):
        normalised = super().forward
        return normalised(x + self.sublayer(x)) if self.post else x + self.sublayer(normalised(x))


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        post_layers = math.floor(len(sublayers) * post_ratio)
        self.layers = nn.ModuleList(Residual(dim, each, number < post_layers) for number, each in enumerate(sublayers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
