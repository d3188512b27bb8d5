"""Axes (N, G, C/G, positions): weight and bias reshaped to groups, in the place of x to channels.

zh: 用轴 (N, G, C/G, 位置)：把 weight 和 bias 变形成组，而不是把 x 变回通道。
"""

import numpy as np


def forward(x, weight, bias, num_groups, eps=1e-5):
    if x.ndim < 2 or x.shape[1] % num_groups:
        raise ValueError("channels that can be split into num_groups groups are needed")
    shape = x.shape[0], num_groups, x.shape[1] // num_groups, -1
    wide = x.astype(np.promote_types(x.dtype, np.float32)).reshape(shape)
    centred = wide - wide.mean(axis=(2, 3), keepdims=True)
    inverse = 1 / np.sqrt(np.square(centred).mean(axis=(2, 3), keepdims=True) + eps)
    normed, gamma, beta = centred * inverse, weight.reshape(num_groups, -1, 1), bias.reshape(num_groups, -1, 1)
    return (normed * gamma + beta).reshape(x.shape).astype(x.dtype), (normed, inverse, gamma)


def backward(dy, cache):
    normed, inverse, gamma = cache
    wide = dy.reshape(normed.shape).astype(normed.dtype)
    dweight, dbias = (wide * normed).sum(axis=(0, 3)).ravel(), wide.sum(axis=(0, 3)).ravel()
    dnormed = wide * gamma
    mean, along = dnormed.mean(axis=(2, 3), keepdims=True), (dnormed * normed).mean(axis=(2, 3), keepdims=True)
    dx = inverse * (dnormed - mean - normed * along)
    return dx.reshape(dy.shape).astype(dy.dtype), dweight.astype(dy.dtype), dbias.astype(dy.dtype)
