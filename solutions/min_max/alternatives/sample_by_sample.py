"""Minimum and maximum are brought up to date sample by sample; the maximum is minus the minimum of −x.

zh: 逐个样本更新最小值和最大值；最大值等于 −x 的最小值取负。
"""

import torch
from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should have two dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    low, negated = wide[0], -wide[0]
    for sample in wide[1:]:
        low = torch.minimum(low, sample)
        negated = torch.minimum(negated, -sample)
    extent = -negated - low
    extent = torch.where(extent != 0, extent, torch.ones_like(extent))
    return ((wide - low) * extent.reciprocal()).to(x.dtype)
