"""A feature by itself, mapped over the columns.

zh: 先写一个特征的函数，再用 vmap 映射到各列。
"""

import torch
from torch import Tensor


def of_one(feature: Tensor) -> Tensor:
    distance = feature - feature.amin()
    largest = distance.amax()
    return distance / torch.where(largest == 0, 1.0, largest)


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should have two dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return torch.vmap(of_one, in_dims=1, out_dims=1)(wide).to(x.dtype)
