"""The convolution by unfold and a product of matrices, with the filters of each group as its rows; mean and square by einsum.

zh: 用 unfold 和矩阵乘积做卷积，每组的滤波器是矩阵的行；均值和平方用 einsum。
"""

import torch
import torch.nn.functional as F
from torch import nn


def pair(number):
    return (number, number) if isinstance(number, int) else tuple(number)


class WSConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, eps=1e-5):
        super().__init__()
        self.size, self.stride, self.padding, self.dilation = map(pair, (kernel_size, stride, padding, dilation))
        self.groups, self.eps = groups, eps
        self.weight = nn.Parameter(torch.rand(out_channels, in_channels // groups, *self.size) - 0.5)
        self.bias = nn.Parameter(torch.randn(out_channels)) if bias else None

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        weight = self.weight.to(wide)
        number = weight[0].numel()
        weight = weight - torch.einsum("oihw->o", weight).view(-1, 1, 1, 1) / number
        squares = torch.einsum("oihw,oihw->o", weight, weight).view(-1, 1, 1, 1) / number
        weight = weight / torch.sqrt(squares + self.eps)
        patches = F.unfold(x.to(wide), self.size, self.dilation, self.padding, self.stride)
        patches = patches.unflatten(1, (self.groups, -1))  # (N, groups, in / groups · kh · kw, positions)
        rows = weight.flatten(1).unflatten(0, (self.groups, -1))  # (groups, out / groups, in / groups · kh · kw)
        y = (rows @ patches).flatten(1, 2)
        if self.bias is not None:
            y = y + self.bias[:, None]
        height = (x.shape[2] + 2 * self.padding[0] - self.dilation[0] * (self.size[0] - 1) - 1) // self.stride[0] + 1
        return y.unflatten(2, (height, -1)).to(x.dtype)
