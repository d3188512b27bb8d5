"""Two ModuleLists, one of Post-LN blocks and one of Pre-LN blocks, gone through one after the other.

zh: 两个 ModuleList，一个是 Post-LN 块，一个是 Pre-LN 块，依次经过。
"""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer


class PostNorm(Block):
    def forward(self, x):
        return self.norm(torch.add(x, self.sublayer(x)))


class PreNorm(Block):
    def forward(self, x):
        return torch.add(x, self.sublayer(self.norm(x)))


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        cut = int(post_ratio * len(sublayers) // 1)
        self.early = nn.ModuleList([PostNorm(dim, each) for each in sublayers[:cut]])
        self.late = nn.ModuleList([PreNorm(dim, each) for each in sublayers[cut:]])

    def forward(self, x):
        for block in self.early:
            x = block(x)
        for block in self.late:
            x = block(x)
        return x
