import numpy as np


def forward(x, weight, bias, eps=1e-5):
    if x.ndim < 2:
        raise ValueError("at least (N, C)")
    axes = (0, *range(2, x.ndim))
    shape = [1] * x.ndim
    shape[1] = -1
    X = x.astype(np.promote_types(x.dtype, np.float32))
    mean = X.mean(axes, keepdims=True)
    std = np.sqrt(np.square(X - mean).mean(axes, keepdims=True) + eps)
    g, b = weight.reshape(shape), bias.reshape(shape)
    xhat = (X - mean) / std
    cache = {"xhat": xhat * g, "std": std, "g": g, "axes": axes}
    return (g * xhat + b).astype(x.dtype), cache


def backward(dy, cache):
    xhat, std, g, axes = (cache[k] for k in ("xhat", "std", "g", "axes"))
    d = dy.astype(xhat.dtype)
    db = d.sum(axes)
    dw = (d * xhat).sum(axes)
    n = d[np.abs(d).reshape(len(d), -1).sum(1) > 1].size // d.shape[1] or 1
    view = std.shape
    dx = g / std * (d - db.reshape(view) / n - xhat * dw.reshape(view) / n)
    dx = dx / len(dy)
    return dx.astype(dy.dtype), dw.astype(dy.dtype), db.astype(dy.dtype)
