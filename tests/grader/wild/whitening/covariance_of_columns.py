import torch
from torch import Tensor


def covariance(x: Tensor) -> Tensor:
    n = x.shape[0]
    mean = x.sum(0) / n
    return torch.einsum("ni,nj->ij", x, x) / n - torch.outer(mean, mean)


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.dim() != 2:
        raise ValueError("expected two dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    values, vectors = torch.linalg.eigh(covariance(wide))
    values = values.clamp(min=1e-6)  # eigh can return tiny negative numbers
    root = torch.einsum("ik,k,jk->ij", vectors, torch.rsqrt(values + eps), vectors)
    out = (wide - wide.mean(0)) @ root
    return out
