"""√N times the centred feature of length 1; everything in float64.

zh: 去均值后的特征化为长度 1，再乘以 √N；全部在 float64 中计算。
"""

import torch
from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should be a matrix")
    wide = x.double()
    constant = wide.min(dim=0)[0].eq(wide.max(dim=0)[0])
    centred = torch.where(constant, 0 * wide, wide - wide.mean(dim=0, keepdim=True))
    length = torch.linalg.vector_norm(centred, dim=0).masked_fill(constant, 1.0)
    return (centred / length * len(x) ** 0.5).to(x.dtype)
