"""Group by group, by slices of neighbouring channels.

zh: 逐组计算，用相邻通道的切片。
"""

import numpy as np


def forward(x, weight, bias, num_groups, eps=1e-5):
    if x.ndim < 2 or x.shape[1] % num_groups:
        raise ValueError("channels that can be split into num_groups groups are needed")
    each = x.shape[1] // num_groups
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    axes = tuple(range(1, x.ndim))
    parts, kept = [], []
    for start in range(0, x.shape[1], each):
        part = wide[:, start : start + each]
        centred = part - part.mean(axis=axes, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=axes, keepdims=True) + eps)
        parts.append(centred / deviation)
        kept.append(deviation)
    normed = np.concatenate(parts, axis=1)
    scale = weight.reshape(-1, *(1 for _ in x.shape[2:]))
    return (normed * scale + bias.reshape(scale.shape)).astype(x.dtype), (normed, kept, scale, each)


def backward(dy, cache):
    normed, kept, scale, each = cache
    wide = dy.astype(normed.dtype)
    axes, others = tuple(range(1, dy.ndim)), (0, *range(2, dy.ndim))
    dnormed, dx = wide * scale, np.empty_like(wide)
    for number, deviation in enumerate(kept):
        block = slice(number * each, (number + 1) * each)
        direct, hat = dnormed[:, block], normed[:, block]
        along = hat * (direct * hat).mean(axis=axes, keepdims=True)
        dx[:, block] = (direct - direct.mean(axis=axes, keepdims=True) - along) / deviation
    return dx.astype(dy.dtype), (wide * normed).sum(axis=others).astype(dy.dtype), wide.sum(axis=others).astype(dy.dtype)
