"""The backward pass of the standardisation written by hand.

zh: 标准化的反向传播手写。
"""

import torch
import torch.nn.functional as F
from torch import nn


class Standardised(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight, eps):
        wide = weight.to(torch.promote_types(weight.dtype, torch.float32))
        rows = wide.reshape(len(wide), -1)
        centred = rows - rows.mean(1, keepdim=True)
        inverse = (centred.pow(2).mean(1, keepdim=True) + eps).rsqrt()
        ctx.save_for_backward(centred * inverse, inverse)
        ctx.dtype = weight.dtype
        return (centred * inverse).reshape(weight.shape)

    @staticmethod
    def backward(ctx, grad):
        rows, inverse = ctx.saved_tensors
        given = grad.reshape(rows.shape)
        back = given - given.mean(1, keepdim=True) - rows * (given * rows).mean(1, keepdim=True)
        return (back * inverse).reshape(grad.shape).to(ctx.dtype), None


class WSConv2d(nn.Conv2d):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, eps=1e-5):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self.eps = eps

    def forward(self, x):
        weight = Standardised.apply(self.weight, self.eps)
        weight = weight.to(torch.promote_types(weight.dtype, x.dtype))
        bias = None if self.bias is None else self.bias.to(weight.dtype)
        y = F.conv2d(x.to(weight.dtype), weight, bias, self.stride, self.padding, self.dilation, self.groups)
        return y.to(x.dtype)
