"""Layers are counted from 1, and compared with the ratio as they come; norms and sublayers are numbered attributes.

zh: 层从 1 数起，逐层与比例比较；归一化层和子层是带编号的属性。
"""

from torch import nn


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.depth = len(sublayers)
        self.post_ratio = post_ratio
        for number, sublayer in enumerate(sublayers, 1):
            setattr(self, f"sublayer{number}", sublayer)
            self.add_module(f"norm{number}", nn.LayerNorm(dim))

    def forward(self, x):
        for number in range(1, self.depth + 1):
            norm, sublayer = getattr(self, f"norm{number}"), getattr(self, f"sublayer{number}")
            post = number <= self.depth * self.post_ratio
            total = x + sublayer(x if post else norm(x))
            x = norm(total) if post else total
        return x
