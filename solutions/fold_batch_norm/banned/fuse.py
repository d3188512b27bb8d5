"""PyTorch's own folding."""

from torch.nn.utils import fusion


def fold(conv, bn):
    return fusion.fuse_conv_bn_eval(conv, bn, transpose=conv.transposed)
