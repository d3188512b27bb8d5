"""The cache is a function that knows how to go back; two projections, one after the other.

zh: cache 是一个知道如何反向的函数；两次投影，一次接一次。
"""

import numpy as np


def centre(rows):
    return rows - rows.mean(axis=-1, keepdims=True)


def forward(x, weight, bias, eps=1e-5):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    centred = centre(wide)
    inverse = (np.mean(centred * centred, axis=-1, keepdims=True) + eps) ** -0.5
    normed = centred * inverse

    def go_back(dy):
        direct = centre(dy.astype(normed.dtype) * weight)
        dx = inverse * (direct - normed * np.mean(direct * normed, axis=-1, keepdims=True))
        axes = tuple(range(dy.ndim - 1))
        return dx, np.add.reduce(dy * normed, axis=axes), np.add.reduce(dy.astype(normed.dtype), axis=axes)

    return (normed * weight + bias).astype(x.dtype), go_back


def backward(dy, cache):
    return tuple(gradient.astype(dy.dtype) for gradient in cache(dy))
