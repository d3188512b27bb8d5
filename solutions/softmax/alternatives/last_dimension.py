"""The rows are brought to the end and made a matrix; the sum is a product with a vector of ones.

zh: 把各行移到末尾，排成矩阵；求和写成与全 1 向量的乘积。
"""

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    moved = x.movedim(dim, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    rows = rows.to(torch.promote_types(x.dtype, torch.float32))
    e = (rows - rows.max(dim=1)[0].unsqueeze(1)).exp()
    total = e @ e.new_ones(e.shape[1], 1)
    return (e * total.reciprocal()).reshape(moved.shape).movedim(-1, dim).to(x.dtype)
