"""The convolutions are a subclass, the biases sit in a helper that registers them, and each block initialises itself when it is asked to.

zh: 卷积是一个子类，偏置由一个辅助方法注册，每个块按要求初始化自己。
"""

import torch
from torch import nn


class Conv3x3(nn.Conv2d):
    def __init__(self, channels):
        super().__init__(channels, channels, 3, 1, 1, bias=False)

    def reset_parameters(self):
        nn.init.orthogonal_(self.weight)


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.conv2 = Conv3x3(channels), Conv3x3(channels)
        self.activation = nn.ReLU()
        for name, value in {"bias1a": 0.0, "bias1b": 0.0, "bias2a": 0.0, "bias2b": 0.0, "scale": 1.0}.items():
            setattr(self, name, nn.Parameter(torch.tensor([value])))

    def forward(self, x):
        hidden = self.activation(torch.add(self.conv1(torch.add(x, self.bias1a)), self.bias1b))
        branch = torch.addcmul(self.bias2b, self.scale, self.conv2(hidden + self.bias2a))
        return self.activation(x + branch)

    @torch.no_grad()
    def fixup_(self, number):
        nn.init.kaiming_normal_(self.conv1.weight, a=0)
        self.conv1.weight.mul_(number**-0.5)
        self.conv2.weight.copy_(torch.zeros(()))


def fixup_init_(blocks, classifier):
    number = len(blocks)
    for block in blocks:
        block.fixup_(number)
    with torch.no_grad():
        torch._foreach_zero_(list(classifier.parameters()))
    return blocks, classifier
