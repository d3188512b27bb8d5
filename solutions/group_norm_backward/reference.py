"""Group norm, and its backward pass."""

from typing import Any

import numpy as np


def forward(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, num_groups: int, eps: float = 1e-5) -> tuple[np.ndarray, Any]:
    """(x − μ) / √(σ² + ε) · weight + bias, with the statistics of every group of channels of every sample"""
    if x.ndim < 2:
        raise ValueError(f"x needs at least 2 dimensions, (N, C, …), and has {x.ndim}")
    if x.shape[1] % num_groups:
        raise ValueError(f"{x.shape[1]} channels cannot be split into {num_groups} groups of one size")
    wide = x.astype(np.promote_types(x.dtype, np.float32)).reshape(x.shape[0], num_groups, -1)
    centred = wide - wide.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + eps)
    normed, scale = (centred / deviation).reshape(x.shape), weight.reshape(-1, *[1] * (x.ndim - 2))
    return (normed * scale + bias.reshape(scale.shape)).astype(x.dtype), (normed, deviation, scale)


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of x, weight and bias."""
    normed, deviation, scale = cache
    wide, others = dy.astype(normed.dtype), (0, *range(2, dy.ndim))
    dweight, dbias = (wide * normed).sum(axis=others), wide.sum(axis=others)
    of_groups = *deviation.shape[:2], -1
    dnormed, grouped = (wide * scale).reshape(of_groups), normed.reshape(of_groups)
    along_ones = dnormed.mean(axis=-1, keepdims=True)
    along_normed = grouped * (dnormed * grouped).mean(axis=-1, keepdims=True)
    dx = ((dnormed - along_ones - along_normed) / deviation).reshape(dy.shape)
    return dx.astype(dy.dtype), dweight.astype(dy.dtype), dbias.astype(dy.dtype)
