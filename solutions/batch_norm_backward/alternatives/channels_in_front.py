"""The channels moved to the front: every channel is a row, as in layer norm.

zh: 把通道移到最前面：每个通道就像层归一化中的一行。
"""

import numpy as np


def to_rows(array):
    return np.moveaxis(array, 1, 0).reshape(array.shape[1], -1)


def from_rows(rows, shape):
    return np.moveaxis(rows.reshape(shape[1], shape[0], *shape[2:]), 0, 1)


def forward(x, weight, bias, eps=1e-5):
    if x.ndim < 2:
        raise ValueError("x has no channels")
    rows = to_rows(x.astype(np.promote_types(x.dtype, np.float32)))
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + eps)
    normed = centred / deviation
    y = from_rows(normed * weight[:, None] + bias[:, None], x.shape)
    return y.astype(x.dtype), (normed, deviation, weight[:, None])


def backward(dy, cache):
    normed, deviation, weight = cache
    rows = to_rows(dy.astype(normed.dtype))
    dnormed = rows * weight
    dx = dnormed - dnormed.mean(axis=1, keepdims=True) - normed * (dnormed * normed).mean(axis=1, keepdims=True)
    gradients = from_rows(dx / deviation, dy.shape), (rows * normed).sum(axis=1), rows.sum(axis=1)
    return tuple(gradient.astype(dy.dtype) for gradient in gradients)
