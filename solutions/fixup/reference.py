"""Fixup (Zhang, Dauphin and Ma 2019): a residual block without a norm, and the initial weights with which depth does no harm."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class FixupBlock(nn.Module):
    """y = ReLU(x + scale · conv2(ReLU(conv1(x + bias1a) + bias1b) + bias2a) + bias2b): all biases and the scale are single numbers."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bias1a = nn.Parameter(torch.zeros(()))
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bias1b = nn.Parameter(torch.zeros(()))
        self.bias2a = nn.Parameter(torch.zeros(()))
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.scale = nn.Parameter(torch.ones(()))
        self.bias2b = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.relu(self.conv1(x + self.bias1a) + self.bias1b)
        branch = self.scale * self.conv2(hidden + self.bias2a) + self.bias2b
        return torch.relu(x + branch)


def fixup_init_(blocks: Collection[FixupBlock], classifier: nn.Linear) -> None:
    layers = 2  # m, the layers in a branch
    factor = len(blocks) ** (-1 / (2 * layers - 2))
    for block in blocks:
        fan = block.conv1.weight[0].numel()  # numbers that go into one number: channels · 3 · 3
        nn.init.normal_(block.conv1.weight, std=factor * (2 / fan) ** 0.5)
        nn.init.zeros_(block.conv2.weight)
    nn.init.zeros_(classifier.weight)
    if classifier.bias is not None:
        nn.init.zeros_(classifier.bias)
