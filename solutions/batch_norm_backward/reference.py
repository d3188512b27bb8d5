"""Batch norm in training, and its backward pass."""

from typing import Any

import numpy as np


def forward(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float = 1e-5) -> tuple[np.ndarray, Any]:
    """(x − μ) / √(σ² + ε) · weight + bias, with the statistics of every channel"""
    if x.ndim < 2:
        raise ValueError(f"x needs at least 2 dimensions, (N, C, …), and has {x.ndim}")
    others, per_channel = (0, *range(2, x.ndim)), (-1, *[1] * (x.ndim - 2))
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    centred = wide - wide.mean(axis=others, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=others, keepdims=True) + eps)
    normed, scale = centred / deviation, weight.reshape(per_channel)
    return (normed * scale + bias.reshape(per_channel)).astype(x.dtype), (normed, deviation, scale, others)


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of x, weight and bias."""
    normed, deviation, scale, others = cache
    wide = dy.astype(normed.dtype)
    dweight, dbias = (wide * normed).sum(axis=others), wide.sum(axis=others)
    dnormed = wide * scale
    along_ones = dnormed.mean(axis=others, keepdims=True)
    along_normed = normed * (dnormed * normed).mean(axis=others, keepdims=True)
    dx = (dnormed - along_ones - along_normed) / deviation
    return dx.astype(dy.dtype), dweight.astype(dy.dtype), dbias.astype(dy.dtype)
