"""Folding a batch norm into a convolution, by hand.

`normgrade show fold_batch_norm` tells the task, `normgrade check fold_batch_norm` grades this file.
"""

from torch import nn

Convolution = nn.Conv1d | nn.Conv2d | nn.Conv3d | nn.ConvTranspose1d | nn.ConvTranspose2d | nn.ConvTranspose3d
BatchNorm = nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d


def fold(conv: Convolution, bn: BatchNorm) -> Convolution:
    """Returns a new convolution that computes bn(conv(x)), where bn is in evaluation; leaves both as they are."""
    # A ValueError if bn is in training, has no running statistics, or has another number of channels than conv returns.
    raise NotImplementedError("scale the weight of every output channel, and work out the bias")
