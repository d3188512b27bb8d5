"""The scale is multiplied into the kernel, which is the same; ReLU is the larger of y and 0; the sum is one addition of three tensors.

zh: 把 scale 乘进卷积核，结果相同；ReLU 取 y 与 0 中较大者；和是三个张量相加。
"""

import torch
from torch import nn
from torch.nn.functional import conv2d


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.channels = channels
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        zero = torch.zeros(())
        self.bias1a, self.bias1b, self.bias2a, self.bias2b = (nn.Parameter(zero.clone()) for _ in range(4))
        self.scale = nn.Parameter(zero + 1)

    def forward(self, x):
        kernel = self.scale * self.conv2.weight
        h = conv2d(x + self.bias1a, self.conv1.weight, self.bias1b.expand(self.channels), padding=1)
        h = torch.where(h <= 0, torch.zeros_like(h), h)
        y = x + conv2d(h + self.bias2a, kernel, self.bias2b.expand(self.channels), padding=1)
        return torch.where(y <= 0, torch.zeros_like(y), y)


def fixup_init_(blocks, classifier):
    kernels = [block.conv1.weight for block in blocks]
    for kernel in kernels:
        gain = nn.init.calculate_gain("relu") / len(kernels) ** (1 / 2)
        fan, _ = nn.init._calculate_fan_in_and_fan_out(kernel)
        bound = gain * (3 / fan) ** 0.5
        nn.init.uniform_(kernel, -bound, bound)
    for layer in (*(block.conv2 for block in blocks), classifier):
        nn.init.zeros_(layer.weight)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)
