"""Features as rows, outer products summed sample by sample, the root and then its inverse.

zh: 特征作为行，逐个样本累加外积；先求平方根，再求逆。
"""

import torch
from torch import Tensor


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x should have two dimensions")
    features = x.T.to(torch.promote_types(x.dtype, torch.float32))
    number = features.shape[1]
    centred = features - features.mean(dim=1, keepdim=True)
    covariance = torch.einsum("in,jn->ij", centred, centred) / number
    values, vectors = torch.linalg.eigh(covariance)
    root = vectors @ torch.diag((values + eps).sqrt()) @ vectors.mT
    return torch.linalg.solve(root, centred).T.to(x.dtype)
