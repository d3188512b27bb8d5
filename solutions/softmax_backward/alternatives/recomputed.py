"""The cache holds a copy of x alone; everything is computed in float64.

zh: cache 里只有 x 的副本；全部在 float64 中计算。
"""

import numpy as np


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True).astype(np.float64))
    return e / e.sum(axis=-1, keepdims=True)


def forward(x):
    return softmax(x).astype(x.dtype), x.copy()


def backward(dy, cache):
    y = softmax(cache)
    return ((y * (dy - np.sum(y * dy, axis=-1, keepdims=True))).astype(dy.dtype),)
