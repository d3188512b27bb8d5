import numpy as np


def norm_block(block, eps):
    mu = block.mean()
    sd = np.sqrt(((block - mu) ** 2).mean() + eps)
    return (block - mu) / sd, sd


def forward(x, weight, bias, num_groups, eps=1e-5):
    if x.ndim < 2 or x.shape[1] % num_groups != 0:
        raise ValueError("bad shape")
    per_group = num_groups
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    xhat = np.empty_like(wide)
    blocks = []
    for n in range(x.shape[0]):
        for start in range(0, x.shape[1], per_group):
            s = slice(start, start + per_group)
            xhat[n, s], sd = norm_block(wide[n, s], eps)
            blocks.append((n, s, sd))
    shape = (-1,) + (1,) * (x.ndim - 2)
    y = xhat * weight.reshape(shape)
    return y.astype(x.dtype), (xhat, blocks, weight)


def backward(dy, cache):
    xhat, blocks, weight = cache
    g = dy.astype(xhat.dtype)
    dw = np.zeros(weight.shape)
    db = np.zeros(weight.shape)
    for c in range(g.shape[1]):
        dw[c] = (g[:, c] * xhat[:, c]).sum()
        db[c] = g[:, c].sum()
    dx = np.empty_like(g)
    gw = g * weight.reshape((-1,) + (1,) * (g.ndim - 2))
    while blocks:
        n, s, sd = blocks.pop()
        a, b = gw[n, s], xhat[n, s]
        dx[n, s] = (a - a.mean() - b * (a * b).mean()) / sd
    return dx.astype(dy.dtype), dw, db
