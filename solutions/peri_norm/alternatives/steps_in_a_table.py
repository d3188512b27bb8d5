"""Each placement is a row of steps that are told by name, and the sum is a stack of both paths.

zh: 每种位置是一串用名字表示的步骤；把两条通路叠在一起再求和。
"""

import torch
from torch import nn

STEPS = {
    "pre": ("norm_in", "sublayer", "sum"),
    "post": ("sublayer", "sum", "norm_out"),
    "output": ("sublayer", "norm_out", "sum"),
    "peri": ("norm_in", "sublayer", "norm_out", "sum"),
}


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        try:
            self.steps = STEPS[placement]
        except KeyError:
            raise ValueError(f"no such placement: {placement}") from None
        self.sublayer = sublayer
        for step in self.steps:
            if step.startswith("norm"):
                setattr(self, step, nn.LayerNorm(normalized_shape=(dim,)))

    def forward(self, x):
        y = x
        for step in self.steps:
            y = torch.stack((x, y)).sum(0) if step == "sum" else getattr(self, step)(y)
        return y
