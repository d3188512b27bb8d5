"""The inverse root by Newton's iteration of Denman and Beavers: no eigenvalues at all.

zh: 用 Denman 和 Beavers 的牛顿迭代求逆平方根：完全不需要特征值。
"""

import torch
from torch import Tensor

ITERATIONS = 20  # it doubles the number of right digits, once it has some


def inverse_root(matrix: Tensor) -> Tensor:
    identity = torch.eye(len(matrix), dtype=matrix.dtype)
    size = matrix.diagonal().sum()
    root, inverse = matrix / size, identity
    for _each in range(ITERATIONS):
        root, inverse = (root + torch.linalg.inv(inverse)) / 2, (inverse + torch.linalg.inv(root)) / 2
    return inverse / size.sqrt()


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.dim() != 2:
        raise ValueError(f"{x.dim()} dimensions")
    wide = x.double()
    centred = wide - wide.sum(0) / x.shape[0]
    covariance = centred.T.matmul(centred).div(x.shape[0])
    return (centred @ inverse_root(covariance + eps * torch.eye(x.shape[1], dtype=wide.dtype))).type_as(x)
