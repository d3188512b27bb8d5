"""Whitening, by hand. `normgrade show whitening` tells the task, `normgrade check whitening` grades this file."""

from torch import Tensor


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    """(N, D) → the same shape and dtype: centred, turned and scaled by the symmetric inverse root of the covariance (ZCA)."""
    # A ValueError where x does not have 2 dimensions.
    raise NotImplementedError("centre x, find the eigenvalues of its covariance, and multiply by U (Λ + eps)^(−1/2) Uᵀ")
