import math

import torch
from torch import nn
from torch.nn import functional as F


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        for name in ("bias1a", "bias1b", "bias2a", "bias2b"):
            setattr(self, name, nn.Parameter(torch.tensor(0.0)))
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.conv1 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)

    def forward(self, x):
        x = x + self.bias1a
        h = F.relu(self.conv1(x) + self.bias1b)
        h = self.conv2(h + self.bias2a) * self.scale + self.bias2b
        return F.relu(h + x)


@torch.no_grad()
def fixup_init_(blocks, classifier):
    L = len(blocks)
    for b in blocks:
        if not b.conv1.weight.requires_grad:
            continue
        nn.init.kaiming_uniform_(b.conv1.weight, a=math.sqrt(5))
        b.conv1.weight.mul_(1 / math.sqrt(L))
        b.conv2.weight.zero_()
        for name, p in b.named_parameters():
            if name.startswith("bias"):
                p.zero_()
    classifier.weight.zero_()
    if classifier.bias is not None:
        classifier.bias.zero_()
