"""Folding a batch norm into the convolution before it, for inference."""

import copy

import torch
from torch import nn

Convolution = nn.Conv1d | nn.Conv2d | nn.Conv3d | nn.ConvTranspose1d | nn.ConvTranspose2d | nn.ConvTranspose3d
BatchNorm = nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d


@torch.no_grad()
def fold(conv: Convolution, bn: BatchNorm) -> Convolution:
    if bn.training:
        raise ValueError("a batch norm in training uses the statistics of its batch")
    if bn.running_mean is None:
        raise ValueError("a batch norm without running statistics uses those of its batch")
    if bn.num_features != conv.out_channels:
        raise ValueError(f"the convolution returns {conv.out_channels} channels, the batch norm takes {bn.num_features}")
    wide = torch.promote_types(conv.weight.dtype, torch.float32)
    factor = 1 / torch.sqrt(bn.running_var.to(wide) + bn.eps)  # of every output channel
    bias = -bn.running_mean.to(wide)
    if conv.bias is not None:
        bias = conv.bias.to(wide) + bias
    if bn.affine:
        factor = bn.weight.to(wide) * factor
        bias = bn.bias.to(wide) + bias * factor
    else:
        bias = bias * factor
    weight = conv.weight.to(wide)
    places = [1] * len(conv.kernel_size)
    if conv.transposed:  # (in, out / groups, …): every group has some rows, and in them the output channels of its own
        weight = weight.unflatten(0, (conv.groups, -1)) * factor.reshape(conv.groups, 1, -1, *places)
        weight = weight.flatten(0, 1)
    else:  # (out, in / groups, …)
        weight = weight * factor.reshape(-1, 1, *places)
    folded = copy.deepcopy(conv)
    folded.weight = nn.Parameter(weight.to(conv.weight.dtype))
    folded.bias = nn.Parameter(bias.to(conv.weight.dtype))
    return folded
