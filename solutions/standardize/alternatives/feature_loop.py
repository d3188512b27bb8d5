"""One feature after the other; a constant one is multiplied by 0.

zh: 逐个特征处理；常数特征乘以 0。
"""

import torch
from torch import Tensor


def standardize_feature(feature: Tensor) -> Tensor:
    if (feature == feature[0]).all():
        return feature * 0
    centred = feature - feature.sum() / feature.numel()
    return centred / (centred.dot(centred) / feature.numel()) ** 0.5


def standardize(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError(f"{x.dim()} dimensions")
    features = x.to(torch.promote_types(x.dtype, torch.float32)).unbind(dim=1)
    return torch.stack([standardize_feature(feature) for feature in features], dim=1).to(x.dtype)
