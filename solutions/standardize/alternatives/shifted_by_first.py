"""The first sample is subtracted from all, so a constant feature is exactly 0 from then on; it is divided by a number that is nearly 0.

zh: 先从所有样本中减去第一个样本：此后常数特征恰好为 0；它除以一个几乎为 0 的数。
"""

import torch
from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    if len(x.shape) != 2:
        raise ValueError("x is no matrix of samples and features")
    shifted = x.to(torch.promote_types(x.dtype, torch.float32))
    shifted = shifted - shifted[0]
    centred = shifted - shifted.mean(0)
    variance = (centred**2).sum(0) / len(x)
    return (centred / torch.where(variance == 0, 1e-30, variance).sqrt()).to(x.dtype)
