"""Uniform numbers of the same spread, multiplied in place; the ReLU as clamp; parameters in a loop; conv2 of a new block is 0 already.

zh: 取标准差相同的均匀分布随机数，再原地相乘；ReLU 写成 clamp；参数在循环中注册；新建的块的 conv2 已经是零。
"""

import math

import torch
from torch import nn


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        for name in ("bias1a", "bias1b", "bias2a", "bias2b", "scale"):
            self.register_parameter(name, nn.Parameter(torch.full((), float(name == "scale"))))
        self.conv1, self.conv2 = (nn.Conv2d(channels, channels, (3, 3), padding="same", bias=False) for _ in range(2))
        nn.init.zeros_(self.conv2.weight)

    def branch(self, x):
        x = self.conv1(x + self.bias1a).add(self.bias1b).clamp(min=0)
        return self.conv2(x + self.bias2a).mul(self.scale).add(self.bias2b)

    def forward(self, x):
        return self.branch(x).add(x).clamp(min=0)


@torch.no_grad()
def fixup_init_(blocks, classifier):
    number = sum(1 for _ in blocks)
    for block in blocks:
        nn.init.kaiming_uniform_(block.conv1.weight, mode="fan_out", nonlinearity="relu")
        block.conv1.weight /= math.sqrt(number)
        block.conv2.weight.zero_()
    for parameter in classifier.parameters():
        parameter.zero_()
