"""The chain rule node by node: through the mean square, then directly; the cache is a dictionary.

zh: 按链式法则逐个节点计算：先经过均方，再加直接的一路；cache 是一个字典。
"""

import numpy as np


def forward(x, weight, eps=1e-6):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    mean_square = np.square(wide).mean(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt(mean_square + eps)
    return (wide * inverse * weight).astype(x.dtype), {"x": wide, "inverse": inverse, "weight": weight, "dtype": x.dtype}


def backward(dy, cache):
    x, inverse, dtype = cache["x"], cache["inverse"], cache["dtype"]
    features = dy.shape[-1]
    wide = dy.astype(x.dtype)
    dnormed = wide * cache["weight"]
    dinverse = (dnormed * x).sum(axis=-1, keepdims=True)
    dmean_square = dinverse * -0.5 * inverse**3
    dx = dnormed * inverse + dmean_square * 2 * x / features
    dweight = (wide * x * inverse).reshape(-1, features).sum(axis=0)
    return dx.astype(dtype), dweight.astype(dtype)
