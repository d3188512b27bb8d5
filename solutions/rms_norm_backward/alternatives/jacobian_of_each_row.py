"""Row by row, each with its Jacobian (I − x̂x̂ᵀ/D)/r as a matrix.

zh: 逐行计算，每行的雅可比矩阵 (I − x̂x̂ᵀ/D)/r 显式写成矩阵。
"""

import numpy as np


def forward(x, weight, eps=1e-6):
    flat = x.astype(np.promote_types(x.dtype, np.float32)).reshape(-1, x.shape[-1])
    y, kept = np.empty_like(flat), []
    for number, row in enumerate(flat):
        rms = np.sqrt(row @ row / flat.dtype.type(row.size) + flat.dtype.type(eps))
        y[number] = row / rms * weight
        kept.append((row / rms, rms))
    return y.reshape(x.shape).astype(x.dtype), (x.dtype, weight, kept)


def backward(dy, cache):
    dtype, weight, kept = cache
    features = dy.shape[-1]
    wide = np.promote_types(dtype, np.float32)
    flat = dy.astype(wide).reshape(-1, features)
    dx, dweight = np.empty_like(flat), np.zeros(features, wide)
    for number, (row, (normed, rms)) in enumerate(zip(flat, kept, strict=True)):
        jacobian = np.eye(features, dtype=wide) - np.outer(normed, normed) / features
        dx[number] = jacobian @ (row * weight) / rms
        dweight += row * normed
    return dx.reshape(dy.shape).astype(dtype), dweight.astype(dtype)
