"""One factor for every number of the weight, by repeating; everything in float64.

zh: 用重复的办法为权重的每个数准备一个系数；全部在 float64 中计算。
"""

from copy import deepcopy

import torch
from torch import nn


def fold(conv, bn):
    if bn.training or bn.running_mean is None or bn.running_mean.numel() != conv.out_channels:
        raise ValueError("bn cannot be folded into conv")
    dtype = conv.weight.dtype
    with torch.no_grad():
        factor = torch.rsqrt(bn.running_var.double() + bn.eps)
        if bn.weight is not None:
            factor = factor * bn.weight.double()
        bias = bn.running_mean.double().neg() * factor
        if conv.bias is not None:
            bias = bias + conv.bias.double() * factor
        if bn.bias is not None:
            bias = bias + bn.bias.double()
        tail = (1,) * (conv.weight.dim() - 2)
        if conv.transposed:
            rows = conv.in_channels // conv.groups
            factors = factor.view(conv.groups, -1).repeat_interleave(rows, dim=0)  # (in, out / groups)
            weight = conv.weight.double() * factors.view(*factors.shape, *tail)
        else:
            weight = conv.weight.double() * factor.view(-1, 1, *tail)
    new = deepcopy(conv)
    del new.weight, new.bias
    new.register_parameter("weight", nn.Parameter(weight.to(dtype)))
    new.register_parameter("bias", nn.Parameter(bias.to(dtype)))
    return new
