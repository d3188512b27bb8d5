"""The cache holds copies of the inputs alone: backward computes everything again, in float64.

zh: cache 里只有输入的副本：backward 重新计算一切，用 float64。
"""

import numpy as np


def normalised(x, num_groups, eps):
    rows = x.astype(np.float64).reshape(x.shape[0], num_groups, -1)
    centred = rows - rows.mean(-1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(-1, keepdims=True) + eps)
    return centred / deviation, deviation


def forward(x, weight, bias, num_groups, eps=1e-5):
    if x.ndim < 2 or x.shape[1] % num_groups:
        raise ValueError("channels that can be split into num_groups groups are needed")
    normed, _deviation = normalised(x, num_groups, eps)
    y = normed.reshape(*x.shape[:2], -1) * weight[:, None] + bias[:, None]
    return y.reshape(x.shape).astype(x.dtype), (x.copy(), weight.copy(), num_groups, eps)


def backward(dy, cache):
    x, weight, num_groups, eps = cache
    normed, deviation = normalised(x, num_groups, eps)
    by_channel = *x.shape[:2], -1
    given, hat = dy.astype(np.float64).reshape(by_channel), normed.reshape(by_channel)
    dnormed = (given * weight[:, None]).reshape(normed.shape)
    mean, along = dnormed.mean(-1, keepdims=True), (dnormed * normed).mean(-1, keepdims=True)
    dx = ((dnormed - mean - normed * along) / deviation).reshape(x.shape)
    return tuple(each.astype(x.dtype) for each in (dx, (given * hat).sum(axis=(0, 2)), given.sum(axis=(0, 2))))
