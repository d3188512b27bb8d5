"""Each convolution is a sum of nine products of shifted images, in float32 at least; the result goes back to the dtype of x.

zh: 每个卷积是九个平移图像乘积之和，至少在 float32 中计算；结果转换回 x 的 dtype。
"""

import torch
from torch import nn


def convolve(x, kernel):
    height, width = x.shape[2:]
    padded = x.new_zeros(x.shape[0], x.shape[1], height + 2, width + 2)
    padded[:, :, 1:-1, 1:-1] = x
    total = 0
    for i in range(3):
        for j in range(3):
            total = total + torch.einsum("oc,nchw->nohw", kernel[:, :, i, j], padded[:, :, i : i + height, j : j + width])
    return total


class FixupBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bias1a = nn.Parameter(torch.zeros(()))
        self.bias1b = nn.Parameter(torch.zeros(()))
        self.bias2a = nn.Parameter(torch.zeros(()))
        self.bias2b = nn.Parameter(torch.zeros(()))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        skip = x.to(wide)
        hidden = torch.relu(convolve(skip + self.bias1a.to(wide), self.conv1.weight.to(wide)) + self.bias1b.to(wide))
        branch = convolve(hidden + self.bias2a.to(wide), self.conv2.weight.to(wide))
        return torch.relu(skip + self.scale.to(wide) * branch + self.bias2b.to(wide)).to(x.dtype)


def fixup_init_(blocks, classifier):
    with torch.no_grad():
        for block in blocks:
            std = (2 / (len(blocks) * block.conv1.weight[0].numel())) ** 0.5
            block.conv1.weight[:] = torch.normal(0.0, std, tuple(block.conv1.weight.shape))
            block.conv2.weight[:] = 0
        classifier.weight[:] = 0
        if classifier.bias is not None:
            classifier.bias[:] = 0
