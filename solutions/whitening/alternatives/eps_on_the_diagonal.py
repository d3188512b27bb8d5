"""torch.cov, eps on its diagonal, and the whole matrix W by einsum.

zh: 用 torch.cov 求协方差，把 eps 加在对角线上，用 einsum 求整个矩阵 W。
"""

import torch
from torch import Tensor


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.dim() != 2:
        raise ValueError("two dimensions, please")
    wide = x.float() if x.dtype != torch.float64 else x
    covariance = torch.cov(wide.T, correction=0).reshape(x.shape[1], x.shape[1])
    values, vectors = torch.linalg.eigh(covariance + eps * torch.eye(x.shape[1], dtype=wide.dtype))
    matrix = torch.einsum("ik,k,jk->ij", vectors, values**-0.5, vectors)
    return ((wide - torch.mean(wide, dim=0)) @ matrix).to(x.dtype)
