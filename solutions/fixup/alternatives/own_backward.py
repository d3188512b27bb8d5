"""The end of the block, ReLU(x + scale · z + bias2b), is an autograd function with a backward pass by hand.

zh: 块的末尾 ReLU(x + scale · z + bias2b) 写成 autograd 函数，反向由手工推导。
"""

import torch
from torch import nn


class End(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, z, scale, bias):
        y = (x + scale * z + bias).clamp(min=0)
        ctx.save_for_backward(y > 0, z, scale)
        return y

    @staticmethod
    def backward(ctx, dy):
        kept, z, scale = ctx.saved_tensors
        dy = dy * kept
        wide = dy.to(torch.promote_types(dy.dtype, torch.float32))
        return dy, dy * scale, (wide * z).sum().to(scale.dtype), wide.sum().to(scale.dtype)


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bias1a = nn.Parameter(torch.tensor(0.0))
        self.bias1b = nn.Parameter(torch.tensor(0.0))
        self.bias2a = nn.Parameter(torch.tensor(0.0))
        self.bias2b = nn.Parameter(torch.tensor(0.0))
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        z = self.conv2(torch.relu(self.conv1(x + self.bias1a) + self.bias1b) + self.bias2a)
        return End.apply(x, z, self.scale, self.bias2b)


def fixup_init_(blocks, classifier):
    factor = torch.tensor(float(len(blocks))).rsqrt()
    for block in blocks:
        nn.init.kaiming_normal_(block.conv1.weight.data, nonlinearity="relu")
        block.conv1.weight.data *= factor
        block.conv2.weight.data[...] = 0
    nn.init.zeros_(classifier.weight)
    if classifier.bias is not None:
        classifier.bias.data = torch.zeros_like(classifier.bias)
