"""Welford's updates, sample by sample: the mean of equal numbers is never rounded.

zh: Welford 算法，逐个样本更新：相等的数求均值时从不舍入。
"""

import torch
from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should have two dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean, squares = wide[0], torch.zeros_like(wide[0])
    for count, sample in enumerate(wide[1:], 2):
        difference = sample - mean
        mean = mean + difference / count
        squares = squares + difference * (sample - mean)
    flat = squares == 0
    z = (wide - mean) / torch.sqrt(squares.masked_fill(flat, 1) / x.size(0))
    return z.type_as(x)
