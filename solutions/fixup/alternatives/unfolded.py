"""The convolutions as matrix products with unfolded images, and Modules of its own that hold the kernels.

zh: 卷积写成展开后的图像与矩阵的乘积，卷积核放在自己写的 Module 中。
"""

import torch
from torch import nn
from torch.nn import functional as F


class Kernel(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels, channels, 3, 3))
        nn.init.xavier_normal_(self.weight)

    def forward(self, x):
        columns = F.unfold(x, 3, padding=1)  # (N, 9 · C, H · W)
        return (self.weight.flatten(1) @ columns).unflatten(2, x.shape[2:])


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.conv2 = Kernel(channels), Kernel(channels)
        self.bias1a, self.bias1b = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
        self.bias2a, self.bias2b = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        hidden = F.relu(self.conv1(x + self.bias1a) + self.bias1b) + self.bias2a
        return F.relu(self.scale * self.conv2(hidden) + self.bias2b + x)


def fixup_init_(blocks, classifier):
    with torch.no_grad():
        for block in blocks:
            kernel = block.conv1.weight
            kernel.copy_(torch.randn(kernel.shape) * (2 / kernel.shape[0] / 9 / len(blocks)) ** 0.5)
            block.conv2.weight.copy_(torch.zeros_like(kernel))
        classifier.weight.fill_(0.0)
        if classifier.bias is not None:
            classifier.bias.fill_(0.0)
