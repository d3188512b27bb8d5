"""The features are sorted: the first number is the minimum, the last one the maximum.

zh: 先把每个特征排序：第一个数是最小值，最后一个是最大值。
"""

import torch
from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x is no matrix")
    wide = x.double()
    in_order = torch.sort(wide, dim=0).values
    low = torch.where(wide.isnan().any(0), torch.nan, in_order[0])
    extent = in_order[-1] - low
    return torch.div(wide - low, torch.where(extent == 0, 1.0, extent)).type_as(x)
