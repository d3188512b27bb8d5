"""All from differences of two samples, which are exactly 0 in a constant feature: the variance is half the mean of their squares.

zh: 一切都由样本两两之差求得，它们在常数特征中恰好为 0：方差等于差的平方的均值的一半。
"""

import torch
from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x: (N, D)")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    difference = wide.unsqueeze(1) - wide.unsqueeze(0)  # (N, N, D)
    variance = difference.square().mean(dim=(0, 1)) / 2
    deviation = torch.where(variance > 0, variance, torch.ones_like(variance)).sqrt()
    deviation = torch.where(variance.isnan(), variance, deviation)
    return (difference.mean(dim=1) / deviation).to(x.dtype)
