import numpy as np


def forward(x, weight, bias, num_groups, eps=1e-5):
    if x.ndim < 2:
        raise ValueError("(N, C, H, W)")
    num_groups = num_groups if x.shape[1] % num_groups == 0 else 1
    N, C, H, W = x.shape
    x5 = x.astype(np.promote_types(x.dtype, np.float32)).reshape(N, num_groups, C // num_groups, H, W)
    mean = x5.mean(axis=(2, 3, 4), keepdims=True)
    rstd = 1 / np.sqrt(((x5 - mean) ** 2).mean(axis=(2, 3, 4), keepdims=True) + eps)
    xhat = (x5 - mean) * rstd
    w = weight.reshape(1, num_groups, C // num_groups, 1, 1)
    b = bias.reshape(w.shape)
    y = (xhat * w + b).reshape(x.shape)
    return y, (xhat, rstd, w)


def backward(dy, cache):
    xhat, rstd, w = cache
    d = dy.astype(xhat.dtype).reshape(xhat.shape)
    dw = (d * xhat).sum(axis=(0, 3, 4)).reshape(-1)
    db = d.sum(axis=(0, 3, 4)).reshape(-1)
    dh = d * w
    ax = (2, 3, 4)
    dx = rstd * (dh - d.mean(ax, keepdims=True) - xhat * (dh * xhat).mean(ax, keepdims=True))
    return dx.reshape(dy.shape), dw, db
