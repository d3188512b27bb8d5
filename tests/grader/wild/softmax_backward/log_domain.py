import numpy as np


def forward(x):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    wide = np.maximum(wide, np.finfo(wide.dtype).min)
    m = wide.max(axis=-1, keepdims=True)
    logZ = m + np.log(np.exp(wide - m).sum(axis=-1, keepdims=True))
    logp = wide - logZ
    y = np.exp(logp)
    return y, (y, x.dtype)


def backward(dy, cache):
    y, dtype = cache
    g = dy
    # through exp, then through the log
    np.multiply(g, y, out=g, casting="unsafe")
    g = g.astype(y.dtype)
    dx = g / y - y * (g / y).sum(axis=-1, keepdims=True)
    return (dx,)
