"""A subclass of torch.nn.Conv2d, with its first weight and its arguments; mean and variance by var_mean, times rsqrt.

zh: torch.nn.Conv2d 的子类，沿用它的初始权重和参数；均值和方差用 var_mean，再乘以 rsqrt。
"""

import torch
from torch import nn


class WSConv2d(nn.Conv2d):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, eps=1e-5):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self.eps = eps

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        weight = self.weight.to(wide)
        var, mean = torch.var_mean(weight, dim=[1, 2, 3], correction=0, keepdim=True)
        weight = (weight - mean) * torch.rsqrt(var + self.eps)
        return self._conv_forward(x.to(wide), weight, None if self.bias is None else self.bias.to(wide)).to(x.dtype)
