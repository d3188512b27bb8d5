"""The textbook's single fraction, (D·dx̂ − Σ dx̂ − x̂ · Σ dx̂ x̂) / (D·σ), on rows in two dimensions.

zh: 教科书上的一个分式 (D·dx̂ − Σ dx̂ − x̂ · Σ dx̂ x̂) / (D·σ)，在二维的行上计算。
"""

import numpy as np


def forward(x, weight, bias, eps=1e-5):
    flat = x.astype(np.promote_types(x.dtype, np.float32)).reshape(-1, x.shape[-1])
    centred = flat - np.mean(flat, axis=1, keepdims=True)
    deviation = np.sqrt(np.mean(np.square(centred), axis=1, keepdims=True) + eps)
    normed = centred / deviation
    y = (normed * weight + bias).reshape(x.shape)
    return y.astype(x.dtype), (x.dtype, normed, deviation, weight)


def backward(dy, cache):
    dtype, normed, deviation, weight = cache
    count = normed.shape[1]
    flat = dy.reshape(normed.shape).astype(normed.dtype)
    dnormed = flat * weight
    across = np.sum(dnormed, axis=1, keepdims=True) + normed * np.sum(dnormed * normed, axis=1, keepdims=True)
    dx = (count * dnormed - across) / (count * deviation)
    gradients = dx.reshape(dy.shape), np.sum(flat * normed, axis=0), np.sum(flat, axis=0)
    return tuple(gradient.astype(dtype) for gradient in gradients)
