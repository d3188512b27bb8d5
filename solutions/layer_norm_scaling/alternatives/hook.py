"""A forward hook of the norm divides what it returns.

zh: 用归一化层的前向钩子（forward hook）来除它的输出。
"""

from functools import partial

from torch import nn


def divide(root, module, inputs, output):
    return output / root


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.norm.register_forward_hook(partial(divide, layer**0.5))
        self.sublayer = sublayer

    def forward(self, x):
        return x + self.sublayer(self.norm(x))
