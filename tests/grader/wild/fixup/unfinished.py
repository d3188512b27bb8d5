import torch
from torch import nn

ZERO = 0.0


class FixupBlock(nn.Module):
    """Residual block without batchnorm. Scalars instead."""

    def __init__(self, channels):
        super().__init__()
        scalar = lambda value: nn.Parameter(torch.full((), value))
        self.bias1a, self.bias1b = scalar(ZERO), scalar(ZERO)
        self.bias2a, self.bias2b = scalar(ZERO), scalar(ZERO)
        self.scale = scalar(1.0).requires_grad_(False)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding="same", bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding="same", bias=False)

    def branch(self, x):
        x = self.conv1(x + self.bias1a) + self.bias1b
        x = torch.relu(x)
        x = self.conv2(x + self.bias2a)
        return self.scale * x + self.bias2b

    def forward(self, x):
        return x + self.branch(x)


def fixup_init_(blocks, classifier):
    m = 2
    depth = len(blocks)
    with torch.no_grad():
        for block in blocks:
            k = block.conv1.weight
            sigma = (2 / (k.size(1) * 9)) ** 0.5 * depth ** (-1 / (2 * m))
            k.copy_(sigma * torch.randn(k.shape))
            block.conv2.weight.mul_(0)
        classifier.weight.normal_(0, 0.001)
        if classifier.bias is not None:
            classifier.bias.zero_()
