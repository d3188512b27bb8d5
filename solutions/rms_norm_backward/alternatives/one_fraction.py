"""One fraction, (D·dx̂ − x̂ · Σ dx̂ x̂) / (D·r), on rows in two dimensions.

zh: 一个分式 (D·dx̂ − x̂ · Σ dx̂ x̂) / (D·r)，在二维的行上计算。
"""

import numpy as np


def forward(x, weight, eps=1e-6):
    flat = x.astype(np.promote_types(x.dtype, np.float32)).reshape(-1, x.shape[-1])
    rms = np.sqrt(np.mean(np.square(flat), axis=1, keepdims=True) + eps)
    normed = flat / rms
    return (normed * weight).reshape(x.shape).astype(x.dtype), (x.dtype, normed, rms, weight)


def backward(dy, cache):
    dtype, normed, rms, weight = cache
    count = normed.shape[1]
    flat = dy.reshape(normed.shape).astype(normed.dtype)
    dnormed = flat * weight
    dx = (count * dnormed - normed * np.sum(dnormed * normed, axis=1, keepdims=True)) / (count * rms)
    return dx.reshape(dy.shape).astype(dtype), np.sum(flat * normed, axis=0).astype(dtype)
