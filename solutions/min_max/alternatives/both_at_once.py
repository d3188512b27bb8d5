"""torch.aminmax finds both; 1 is added to a range of length 0.

zh: 用 torch.aminmax 一次求出两者；长度为 0 的范围加上 1。
"""

import torch
from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    if x.ndim != 2:
        raise ValueError(f"expected (N, D), got {tuple(x.shape)}")
    low, high = torch.aminmax(x.to(torch.promote_types(x.dtype, torch.float32)), dim=0)
    extent = high - low
    return x.sub(low).div(extent + (extent == 0)).to(x.dtype)
