"""A copy of the convolution gets a bias where it has none, and the new numbers by load_state_dict; weights scaled by einsum.

zh: 复制卷积，没有偏置就加一个，再用 load_state_dict 写入新的数；权重用 einsum 缩放。
"""

import copy

import torch
from torch import nn


def fold(conv, bn):
    if bn.training:
        raise ValueError("the batch norm is in training mode")
    statistics = bn.running_mean, bn.running_var
    if any(each is None for each in statistics):
        raise ValueError("the batch norm has no running statistics")
    if conv.out_channels != bn.num_features:
        raise ValueError("the numbers of channels differ")
    wide = torch.promote_types(conv.weight.dtype, torch.float32)
    mean, var = (each.to(wide) for each in statistics)
    with torch.no_grad():
        scale = (var + bn.eps) ** -0.5
        shift = torch.zeros_like(mean)
        if bn.affine:
            scale, shift = scale * bn.weight.to(wide), bn.bias.to(wide)
        offset = -mean if conv.bias is None else conv.bias.to(wide) - mean
        weight = conv.weight.to(wide)
        if conv.transposed:
            grouped = weight.unflatten(0, (conv.groups, -1))
            weight = torch.einsum("gio...,go->gio...", grouped, scale.unflatten(0, (conv.groups, -1))).flatten(0, 1)
        else:
            weight = torch.einsum("o...,o->o...", weight, scale)
        state = {"weight": weight, "bias": torch.addcmul(shift, scale, offset)}
    result = copy.deepcopy(conv).requires_grad_(True)
    result.zero_grad()
    if result.bias is None:
        result.bias = nn.Parameter(torch.empty_like(mean, dtype=conv.weight.dtype))
    result.load_state_dict(state)
    return result
