"""RMS norm over the last axis, and its backward pass."""

from typing import Any

import numpy as np


def forward(x: np.ndarray, weight: np.ndarray, eps: float = 1e-6) -> tuple[np.ndarray, Any]:
    """x / √(mean(x²) + ε) · weight"""
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    rms = np.sqrt((wide * wide).mean(axis=-1, keepdims=True) + eps)
    normed = wide / rms
    return (normed * weight).astype(x.dtype), (normed, rms, weight)


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray]:
    """The gradients of x and weight."""
    normed, rms, weight = cache
    wide = dy.astype(normed.dtype)
    dweight = (wide * normed).sum(axis=tuple(range(dy.ndim - 1)))
    dnormed = wide * weight
    dx = (dnormed - normed * (dnormed * normed).mean(axis=-1, keepdims=True)) / rms
    return dx.astype(dy.dtype), dweight.astype(dy.dtype)
