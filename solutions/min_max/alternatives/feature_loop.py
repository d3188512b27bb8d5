"""One feature after the other; a constant one minus itself is 0.

zh: 逐个特征处理；常数特征减去自己就是 0。
"""

import torch
from torch import Tensor


def min_max_of(feature: Tensor) -> Tensor:
    if torch.equal(feature, feature[0].expand_as(feature)):
        return feature - feature
    low = feature.min()
    return (feature - low) / (feature.max() - low)


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError(f"{x.dim()} dimensions")
    columns = x.to(torch.promote_types(x.dtype, torch.float32)).t()
    return torch.stack([min_max_of(column) for column in columns]).t().to(x.dtype)
