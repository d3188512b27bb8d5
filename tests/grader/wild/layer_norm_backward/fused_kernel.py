import numpy as np

SAVED = {}


def forward(x, weight, bias, eps=1e-5):
    """Like a fused kernel: two sums in one sweep, keep mean and rstd for later."""
    h = x.astype(np.promote_types(x.dtype, np.float32))
    d = h.shape[-1]
    mean = h.sum(-1, keepdims=True) / d
    var = np.maximum((h * h).sum(-1, keepdims=True) / d - mean * mean, 0)
    rstd = (var + eps) ** -0.5
    y = (h - mean) * rstd * weight + bias
    key = object()
    SAVED[key] = (h, mean, rstd, weight)
    return y.astype(x.dtype), key


def backward(dy, cache):
    h, mean, rstd, weight = SAVED.pop(cache)
    d = h.shape[-1]
    xhat = (h - mean) * rstd
    g = dy.astype(h.dtype)
    wg = g * weight
    c1 = (wg * xhat).sum(-1, keepdims=True) / d
    c2 = wg.sum(-1, keepdims=True) / d
    dx = (wg - (xhat * c1)) * rstd ** 3
    axes = tuple(range(g.ndim - 1))
    return dx.astype(dy.dtype), (g * xhat).sum(axes).astype(dy.dtype), g.sum(axes).astype(dy.dtype)
