"""Every sum by einsum; the cache is an object.

zh: 所有求和都用 einsum；cache 是一个对象。
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Kept:
    normed: np.ndarray
    inverse: np.ndarray
    weight: np.ndarray


def forward(x, weight, eps=1e-6):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    inverse = ((np.einsum("...d,...d->...", wide, wide) / x.shape[-1] + eps) ** -0.5)[..., None]
    normed = wide * inverse
    return np.einsum("...d,d->...d", normed, weight).astype(x.dtype), Kept(normed, inverse, weight)


def backward(dy, cache):
    wide, normed = dy.astype(cache.normed.dtype), cache.normed
    rows = -1, dy.shape[-1]
    dweight = np.einsum("nd,nd->d", wide.reshape(rows), normed.reshape(rows))
    dnormed = wide * cache.weight
    along = np.einsum("...d,...d->...", dnormed, normed)[..., None] / dy.shape[-1]
    return (cache.inverse * (dnormed - along * normed)).astype(dy.dtype), dweight.astype(dy.dtype)
