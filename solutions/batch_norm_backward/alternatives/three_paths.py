"""The chain rule node by node: through σ², then through μ, then directly.

zh: 按链式法则逐个节点计算：先经过 σ²，再经过 μ，最后是直接的一路。
"""

import numpy as np


def forward(x, weight, bias, eps=1e-5):
    if x.ndim < 2:
        raise ValueError("x has no channels")
    axes, shape = (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    centred = wide - wide.mean(axes, keepdims=True)
    variance = (centred**2).mean(axes, keepdims=True)
    inverse = (variance + eps) ** -0.5
    y = weight.reshape(shape) * centred * inverse + bias.reshape(shape)
    return y.astype(x.dtype), (centred, inverse, weight.reshape(shape), axes)


def backward(dy, cache):
    centred, inverse, weight, axes = cache
    wide = dy.astype(centred.dtype)
    count = dy.size // dy.shape[1]
    dnormed = wide * weight
    dvariance = -0.5 * inverse**3 * (dnormed * centred).sum(axes, keepdims=True)
    dmean = -inverse * dnormed.sum(axes, keepdims=True)
    dx = dnormed * inverse + 2 / count * dvariance * centred + dmean / count
    return dx.astype(dy.dtype), (wide * centred * inverse).sum(axes).astype(dy.dtype), wide.sum(axes).astype(dy.dtype)
