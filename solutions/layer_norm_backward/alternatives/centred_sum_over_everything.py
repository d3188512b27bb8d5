"""The variance depends on the mean by Σ (x − μ), which is 0: here it is summed over all rows at once, and only its rounding is left.

zh: 方差通过 Σ (x − μ) 依赖于均值，而这个和为 0：这里对所有行一起求和，只剩下舍入误差。
"""

import numpy as np


def forward(x, weight, bias, eps=1e-5):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    mean = wide.mean(axis=-1, keepdims=True)
    centred = wide - mean
    variance = (centred * centred).mean(axis=-1, keepdims=True) + eps
    y = centred / np.sqrt(variance) * weight + bias
    return y.astype(x.dtype), (centred, variance, weight)


def backward(dy, cache):
    centred, variance, weight = cache
    wide = dy.astype(centred.dtype)
    size, rows = centred.shape[-1], tuple(range(dy.ndim - 1))
    dcentred = wide * weight / np.sqrt(variance)
    dvariance = (wide * weight * centred).sum(axis=-1, keepdims=True) * -0.5 * variance**-1.5
    dmean = -dcentred.sum(axis=-1, keepdims=True) + dvariance * centred.sum() * (-2 / size)
    dx = dcentred + dvariance * centred * (2 / size) + dmean / size
    dweight = (wide * centred / np.sqrt(variance)).sum(axis=rows)
    return dx.astype(dy.dtype), dweight.astype(dy.dtype), wide.sum(axis=rows).astype(dy.dtype)
