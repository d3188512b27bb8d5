"""By way of log-softmax: y = exp(x − m − log Σ), and its gradient from that of log y.

zh: 经过 log-softmax：y = exp(x − m − log Σ)，梯度由 log y 的梯度得到。
"""

import numpy as np


def forward(x):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    shifted = wide - wide.max(axis=-1, keepdims=True)
    y = np.exp(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
    return y.astype(x.dtype), y


def backward(dy, cache):
    y = cache
    of_logarithm = dy * y
    return ((of_logarithm - y * of_logarithm.sum(axis=-1, keepdims=True)).astype(dy.dtype),)
