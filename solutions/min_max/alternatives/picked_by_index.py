"""argmin and argmax find the samples, gather picks their numbers; both are safe from 0 / 0 by two uses of where.

zh: 用 argmin 和 argmax 找到样本，用 gather 取出数值；两次使用 where 来避免 0 / 0。
"""

import torch
from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should be a matrix")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    low = wide.gather(0, wide.argmin(0, keepdim=True))
    high = wide.gather(0, wide.argmax(0, keepdim=True))
    varied = low != high
    quotient = (wide - low) / torch.where(varied, high - low, torch.ones_like(low))
    return torch.where(varied, quotient, torch.zeros_like(wide)).to(x.dtype)
