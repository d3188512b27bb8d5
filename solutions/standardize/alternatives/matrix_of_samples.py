"""Features as rows; the mean is a product with ones, and the sums of squares are the diagonal of a product.

zh: 特征作为行；均值写成与全 1 向量的乘积，平方和用 einsum 求得。
"""

import torch
from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should have two dimensions")
    features = x.t().to(torch.promote_types(x.dtype, torch.float32))
    number = features.shape[1]
    varied = ~(features == features[:, :1]).all(1, keepdim=True)
    centred = features - features @ features.new_full((number, 1), 1 / number)
    variance = torch.einsum("dn,dn->d", centred, centred).unsqueeze(1) / number
    safe = variance.where(varied, variance.new_ones(()))
    return centred.div(safe.sqrt()).where(varied, features.new_zeros(())).t().to(x.dtype)
