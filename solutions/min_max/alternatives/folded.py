"""One factor and one offset per feature: y = x · scale + offset, as in scikit-learn.

zh: 每个特征一个系数和一个偏移：y = x · scale + offset，与 scikit-learn 一样。
"""

import torch
from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x: (N, D)")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    low, high = wide.min(dim=0, keepdim=True)[0], wide.max(dim=0, keepdim=True)[0]
    extent = high - low
    scale = 1 / torch.where(extent == 0, torch.ones_like(extent), extent)
    offset = -low * scale
    return (wide * scale + offset).to(x.dtype)
