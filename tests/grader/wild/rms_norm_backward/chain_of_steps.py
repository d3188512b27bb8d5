import numpy as np


def forward(x, weight, eps=1e-6):
    X = x.astype(np.promote_types(x.dtype, np.float32))
    # step by step so the backward pass can mirror it
    sq = X ** 2
    ms = sq.mean(-1, keepdims=True)
    root = np.sqrt(ms) + eps
    inv = 1 / root
    xhat = X * inv
    y = xhat * weight
    return y.astype(x.dtype), (X, root, inv, xhat, weight, eps)


def backward(dy, cache):
    X, root, inv, xhat, weight, eps = cache
    D = X.shape[-1]
    g = dy.astype(X.dtype)
    # y = xhat * weight
    dweight = (g * xhat).sum(axis=0 if g.ndim > 1 else (), dtype=np.float64)
    dxhat = g * weight
    # xhat = X * inv
    dX1 = dxhat * inv
    dinv = (dxhat * X).sum(-1, keepdims=True)
    # inv = 1 / root
    droot = -dinv / root ** 2
    # root = sqrt(ms + eps)
    dms = droot / root
    # ms = mean(X ** 2)
    dX2 = dms * np.ones_like(X) / D * 2 * X
    dx = dX1 + dX2
    return dx.astype(dy.dtype), dweight
