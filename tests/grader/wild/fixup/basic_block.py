import numpy as np
import torch
import torch.nn as nn


def conv3x3(channels):
    return nn.Conv2d(channels, channels, kernel_size=3, stride=1, padding=1, bias=False)


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias1a = nn.Parameter(torch.zeros(1))
        self.conv1 = conv3x3(channels)
        self.bias1b = nn.Parameter(torch.zeros(1))
        self.relu = nn.ReLU(inplace=True)
        self.bias2a = nn.Parameter(torch.zeros(1))
        self.conv2 = conv3x3(channels)
        self.scale = nn.Parameter(torch.ones(1))
        self.bias2b = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, x):
        identity = x
        out = self.conv1(x + self.bias1a)
        out = self.relu(out + self.bias1b)
        out = self.conv2(out + self.bias2a)
        out = (out + self.bias2b) * self.scale
        out += identity
        return self.relu(out)


def fixup_init_(blocks, classifier):
    num_layers = sum(isinstance(m, nn.Conv2d) for b in blocks for m in b.modules())
    for block in blocks:
        w = block.conv1.weight
        std = np.sqrt(2 / (w.shape[0] * np.prod(w.shape[2:]))) * num_layers ** (-0.5)
        nn.init.normal_(w, mean=0, std=float(std))
        nn.init.normal_(block.conv2.weight, mean=0, std=float(std))
    nn.init.constant_(classifier.weight, 0)
    nn.init.constant_(classifier.bias, 0)

