"""The cache is a function that knows how to go back; sums by matrix products.

zh: cache 是一个知道如何反向的函数；求和用矩阵乘法。
"""

import numpy as np


def forward(x):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    e = np.exp(wide - wide.max(axis=-1, keepdims=True))
    y = e / (e @ np.ones((x.shape[-1], 1), e.dtype))

    def go_back(dy):
        weighted = (y[..., None, :] @ dy.astype(y.dtype)[..., :, None])[..., 0]
        return y * (dy - weighted)

    return y.astype(x.dtype), go_back


def backward(dy, cache):
    return (cache(dy).astype(dy.dtype),)
