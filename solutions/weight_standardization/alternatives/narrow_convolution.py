"""Filters as rows of a matrix, standardised in float32 or wider; the convolution runs in the dtype of x.

zh: 滤波器作为矩阵的行，在 float32 或更高精度中标准化；卷积在 x 的 dtype 中计算。
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


class WSConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, eps=1e-5):
        super().__init__()
        if isinstance(kernel_size, int):
            kernel_size = (kernel_size,) * 2
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, *kernel_size))
        nn.init.kaiming_normal_(self.weight)
        if bias:
            bound = 1 / math.sqrt(self.weight[0].numel())
            self.bias = nn.Parameter(torch.empty(out_channels).uniform_(-bound, bound))
        else:
            self.register_parameter("bias", None)
        self.eps = eps
        self.options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}

    def forward(self, x):
        rows = self.weight.flatten(1).to(torch.promote_types(x.dtype, torch.float32))
        centred = rows - rows.mean(1, keepdim=True)
        rows = centred / (centred.square().mean(1, keepdim=True) + self.eps).sqrt()
        weight = rows.view_as(self.weight).to(x.dtype)
        return F.conv2d(x, weight, None if self.bias is None else self.bias.to(x.dtype), **self.options)
