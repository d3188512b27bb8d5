"""PyTorch's own folding, of the weights."""

import copy

import torch


def fold(conv, bn):
    new = copy.deepcopy(conv)
    numbers = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    new.weight, new.bias = torch.nn.utils.fuse_conv_bn_weights(conv.weight, conv.bias, *numbers, transpose=conv.transposed)
    return new
