"""ZCA whitening: the features become uncorrelated, with variance 1, and stay as close to the old ones as can be."""

import torch
from torch import Tensor


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    """(N, D) → (N, D): z = (x − μ) U (Λ + ε)^(−1/2) Uᵀ, where U Λ Uᵀ is the biased covariance."""
    if x.dim() != 2:
        raise ValueError(f"x should have the shape (N, D), but has {x.dim()} dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = wide - wide.mean(dim=0)
    covariance = centred.T @ centred / x.shape[0]  # (D, N) @ (N, D) → (D, D)
    eigenvalues, vectors = torch.linalg.eigh(covariance)  # the vectors are columns
    scaled = vectors * torch.rsqrt(eigenvalues + eps)  # column by column
    z = centred @ scaled @ vectors.T  # turned, scaled, and turned back
    return z.to(x.dtype)
