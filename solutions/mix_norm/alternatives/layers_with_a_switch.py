"""Each layer is a small Module that holds its norm and its sublayer, and knows of which kind it is.

zh: 每一层是一个小 Module，保存自己的归一化层和子层，并知道自己是哪一种。
"""

from torch import nn


class Layer(nn.Module):
    def __init__(self, dim, sublayer, post):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim)
        self.post = post

    def forward(self, x):
        if self.post:
            return self.norm(self.sublayer(x) + x)
        return self.sublayer(self.norm(x)) + x


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        post_layers = int(len(sublayers) * post_ratio)
        self.layers = nn.Sequential(*(Layer(dim, each, post=number < post_layers) for number, each in enumerate(sublayers)))

    def forward(self, x):
        return self.layers(x)
