"""The norm that a placement lacks is None, `match` tells the placements apart, and the sum is written the other way round.

zh: 某个位置没有的归一化层是 None，用 `match` 区分各种位置，求和时先写分支。
"""

import torch
from torch import nn


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        self.f = sublayer
        self.norm_in = self.norm_out = None
        self.placement = placement
        match placement:
            case "pre":
                self.norm_in = nn.LayerNorm(dim)
            case "post" | "output":
                self.norm_out = nn.LayerNorm(dim)
            case "peri":
                self.norm_out, self.norm_in = nn.LayerNorm(dim), nn.LayerNorm(dim)
            case _:
                raise ValueError("unknown placement")

    def forward(self, x):
        match self.placement:
            case "pre":
                return torch.add(self.f(self.norm_in(x)), x)
            case "post":
                return self.norm_out(torch.add(self.f(x), x))
            case "output":
                return torch.add(self.norm_out(self.f(x)), x)
        return torch.add(self.norm_out(self.f(self.norm_in(x))), x)
