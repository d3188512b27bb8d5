"""x is padded first and torch.conv2d called without padding; the deviation by linalg.vector_norm, with eps as a further number.

zh: 先填充 x，再调用不带填充的 torch.conv2d；标准差用 linalg.vector_norm 求，eps 当作多出来的数。
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
        weight = weight - weight.mean([1, 2, 3], keepdim=True)
        squares = torch.linalg.vector_norm(weight, dim=(1, 2, 3), keepdim=True) ** 2
        number = weight[0].numel()
        weight = weight * number**0.5 / (squares + number * self.eps).sqrt()
        high, broad = self.padding
        padded = torch.nn.functional.pad(x.to(wide), (broad, broad, high, high))
        y = torch.conv2d(padded, weight, stride=self.stride, dilation=self.dilation, groups=self.groups)
        if self.bias is not None:
            y = y + self.bias.view(-1, 1, 1)
        return y.to(x.dtype)
