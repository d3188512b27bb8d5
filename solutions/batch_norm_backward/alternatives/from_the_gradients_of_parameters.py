"""The two means of dx come from dγ and dβ: weight is the same for a whole channel, so it waits until the end.

zh: dx 的两个平均由 dγ 和 dβ 得到：一个通道共用一个 weight，所以可以最后才乘。
"""

import numpy as np


def along_channels(numbers, x):
    return numbers.reshape(1, -1, *(1 for _ in x.shape[2:]))


def forward(x, weight, bias, eps=1e-5):
    if x.ndim < 2:
        raise ValueError("x has no channels")
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    inverse = 1 / np.sqrt(wide.var(axis=axes, keepdims=True) + eps)
    normed = (wide - wide.mean(axis=axes, keepdims=True)) * inverse
    y = normed * along_channels(weight, x) + along_channels(bias, x)
    return y.astype(x.dtype), {"normed": normed, "scale": inverse * along_channels(weight, x), "axes": axes}


def backward(dy, cache):
    normed, axes = cache["normed"], cache["axes"]
    wide = dy.astype(normed.dtype)
    count = dy.size // dy.shape[1]
    dweight, dbias = (wide * normed).sum(axis=axes), wide.sum(axis=axes)
    dx = cache["scale"] * (wide - along_channels(dbias, dy) / count - normed * along_channels(dweight, dy) / count)
    return dx.astype(dy.dtype), dweight.astype(dy.dtype), dbias.astype(dy.dtype)
