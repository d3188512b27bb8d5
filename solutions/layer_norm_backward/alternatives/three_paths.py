"""The chain rule node by node: through σ², then through μ, then directly; the cache is a dictionary.

zh: 按链式法则逐个节点计算：先经过 σ²，再经过 μ，最后是直接的一路；cache 是一个字典。
"""

import numpy as np


def forward(x, weight, bias, eps=1e-5):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    mean = wide.mean(axis=-1, keepdims=True)
    variance = wide.var(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt(variance + eps)
    y = weight * ((wide - mean) * inverse) + bias
    return y.astype(x.dtype), {"centred": wide - mean, "inverse": inverse, "weight": weight, "dtype": x.dtype}


def backward(dy, cache):
    centred, inverse, dtype = cache["centred"], cache["inverse"], cache["dtype"]
    features = dy.shape[-1]
    dy = dy.astype(centred.dtype)
    flat = dy.reshape(-1, features)
    dweight = (flat * (centred * inverse).reshape(-1, features)).sum(0)
    dnormed = dy * cache["weight"]
    dvariance = (dnormed * centred).sum(-1, keepdims=True) * -0.5 * inverse**3
    dmean = -(dnormed * inverse).sum(-1, keepdims=True) - 2 * dvariance * centred.mean(-1, keepdims=True)
    dx = dnormed * inverse + dvariance * 2 * centred / features + dmean / features
    return dx.astype(dtype), dweight.astype(dtype), flat.sum(0).astype(dtype)
