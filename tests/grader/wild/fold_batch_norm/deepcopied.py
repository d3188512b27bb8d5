import copy

import torch
import torch.nn as nn


@torch.no_grad()
def fold(conv, bn):
    """w' = w * gamma / sigma, b' = (b - mean) * gamma / sigma + beta"""
    if bn.training or not bn.track_running_stats or bn.running_var is None:
        raise ValueError("batch norm must be in eval mode with running statistics")
    if conv.out_channels != bn.num_features:
        raise ValueError("conv.out_channels != bn.num_features")
    W = conv.weight
    calc = W.dtype
    sigma = torch.sqrt(bn.running_var.to(calc) + 1e-5)
    gamma = bn.weight.to(calc)
    beta = bn.bias.to(calc)
    f = gamma / sigma

    ones = (1,) * (W.dim() - 2)
    if conv.transposed:
        G = conv.groups
        W_new = W.to(calc).reshape(G, W.shape[0] // G, *W.shape[1:]) * f.reshape(G, 1, -1, *ones)
        W_new = W_new.reshape(W.shape)
    else:
        W_new = W.to(calc) * f.reshape(-1, 1, *ones)

    b = 0 if conv.bias is None else conv.bias.to(calc)
    b_new = (b - bn.running_mean.to(calc)) * f + beta

    fused = copy.deepcopy(conv)
    fused.weight = nn.Parameter(W_new.to(W.dtype))
    if conv.bias is not None:
        fused.bias = nn.Parameter(b_new.to(W.dtype))
    return fused
