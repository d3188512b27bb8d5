"""As the authors write it: shape (1,), one ReLU in place on what belongs to the block, the sum in place; the spread from the outputs.

zh: 与作者的写法相同：标量的形状为 (1,)，ReLU 原地作用于块自己的张量，原地求和；标准差由输出的个数算出。
"""

import numpy as np
import torch
from torch import nn


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias1a = nn.Parameter(torch.zeros(1))
        self.conv1 = nn.Conv2d(channels, channels, kernel_size=3, stride=1, padding=1, bias=False)
        self.bias1b = nn.Parameter(torch.zeros(1))
        self.relu = nn.ReLU(inplace=True)
        self.bias2a = nn.Parameter(torch.zeros(1))
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, stride=1, padding=1, bias=False)
        self.scale = nn.Parameter(torch.ones(1))
        self.bias2b = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        identity = x
        out = self.conv1(x + self.bias1a)
        out = self.relu(out + self.bias1b)
        out = self.conv2(out + self.bias2a)
        out = out * self.scale + self.bias2b
        out += identity
        return self.relu(out)


def fixup_init_(blocks, classifier):
    for block in blocks:
        shape = block.conv1.weight.shape
        nn.init.normal_(block.conv1.weight, mean=0, std=np.sqrt(2 / (shape[0] * np.prod(shape[2:]))) * len(blocks) ** (-0.5))
        nn.init.constant_(block.conv2.weight, 0)
    nn.init.constant_(classifier.weight, 0)
    if classifier.bias is not None:
        nn.init.constant_(classifier.bias, 0)
