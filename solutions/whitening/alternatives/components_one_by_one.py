"""The components are added up one by one, largest first; everything in float64.

zh: 主成分从大到小逐个相加；全部在 float64 中计算。
"""

import torch
from torch import Tensor


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should have two dimensions")
    wide = x.to(torch.float64)
    centred = wide - wide.mean(dim=0)
    values, vectors = torch.linalg.eigh(centred.t().mm(centred) / x.size(0), UPLO="U")
    z = torch.zeros_like(centred)
    for value, vector in zip(values.flip(0), vectors.flip(1).unbind(1), strict=True):
        z = z + torch.outer(centred @ vector, vector) / (value + eps) ** 0.5
    return z.to(x.dtype)
