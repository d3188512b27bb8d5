"""Every sum by einsum; the cache is an object.

zh: 所有求和都用 einsum；cache 是一个对象。
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Kept:
    normed: np.ndarray
    scale: np.ndarray
    dtype: np.dtype


def forward(x, weight, bias, eps=1e-5):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    features = x.shape[-1]
    centred = wide - (np.einsum("...d->...", wide) / features)[..., None]
    deviation = np.sqrt(np.einsum("...d,...d->...", centred, centred) / features + eps)[..., None]
    normed = centred / deviation
    return (np.einsum("...d,d->...d", normed, weight) + bias).astype(x.dtype), Kept(normed, weight / deviation, x.dtype)


def backward(dy, cache):
    wide = dy.astype(cache.normed.dtype)
    features = dy.shape[-1]
    rows = -1, features
    dweight = np.einsum("nd,nd->d", wide.reshape(rows), cache.normed.reshape(rows))
    dbias = np.einsum("nd->d", wide.reshape(rows))
    direct = wide * cache.scale
    along_ones = np.einsum("...d->...", direct)[..., None] / features
    along_normed = cache.normed * (np.einsum("...d,...d->...", direct, cache.normed) / features)[..., None]
    return (direct - along_ones - along_normed).astype(cache.dtype), dweight.astype(cache.dtype), dbias.astype(cache.dtype)
