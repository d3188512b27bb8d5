"""The rows or columns of one output channel after another, each times its number; a shallow copy with parameters of its own.

zh: 逐个输出通道处理它的行或列，各乘以自己的数；浅复制，但有自己的参数。
"""

import copy

import torch
from torch import nn


def fold(conv, bn):
    if bn.training or not bn.track_running_stats:
        raise ValueError("bn has to be in evaluation mode and to have running statistics")
    if bn.num_features != conv.out_channels:
        raise ValueError("bn has another number of channels than conv")
    wide = torch.promote_types(conv.weight.dtype, torch.float32)
    deviations = torch.sqrt(bn.running_var.to(wide) + bn.eps)
    gamma, beta = (bn.weight.detach(), bn.bias.detach()) if bn.affine else (torch.ones_like(deviations), torch.zeros_like(deviations))
    weight = conv.weight.detach().to(wide, copy=True)
    rows, columns = conv.in_channels // conv.groups, conv.out_channels // conv.groups
    for channel, deviation in enumerate(deviations):
        if conv.transposed:
            group, column = divmod(channel, columns)
            part = weight[group * rows : (group + 1) * rows, column]
        else:
            part = weight[channel]
        part *= gamma[channel]
        part /= deviation
    old = 0 if conv.bias is None else conv.bias.detach().to(wide)
    bias = beta.to(wide) + gamma.to(wide) * ((old - bn.running_mean.to(wide)) / deviations)
    new = copy.copy(conv)
    new._parameters = {"weight": nn.Parameter(weight.to(conv.weight.dtype)), "bias": nn.Parameter(bias.to(conv.weight.dtype))}
    return new
