"""From the singular values of the data itself: z = U · s / √(s²/N + eps) · Vᵀ.

zh: 直接由数据的奇异值求得：z = U · s / √(s²/N + eps) · Vᵀ。
"""

import torch
from torch import Tensor


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.ndim != 2:
        raise ValueError("x should be a matrix of samples and features")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = wide - wide.mean(0, keepdim=True)
    left, values, right = torch.linalg.svd(centred, full_matrices=False)
    gains = values / torch.sqrt(values.square() / len(x) + eps)
    return ((left * gains) @ right).to(x.dtype)
