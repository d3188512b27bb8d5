import numpy as np


def forward(x, weight, bias, num_groups, eps=1e-6):
    assert x.ndim >= 2
    assert x.shape[1] % num_groups == 0, "C must be divisible by G"
    N, C = x.shape[:2]
    G = num_groups
    xg = x.astype(np.promote_types(x.dtype, np.float32)).reshape(N * G, -1)
    mu = xg.mean(axis=1, keepdims=True)
    std = np.sqrt(xg.var(axis=1, keepdims=True) + eps)
    xhat = ((xg - mu) / std).reshape(x.shape)
    gamma = weight.reshape(1, C, *([1] * (x.ndim - 2)))
    beta = bias.reshape(gamma.shape)
    return (gamma * xhat + beta).astype(x.dtype), (xhat, std, gamma, G)


def backward(dy, cache):
    xhat, std, gamma, G = cache
    N, C = dy.shape[:2]
    dout = dy.astype(xhat.dtype)
    dbeta = dout.sum(axis=0).reshape(C, -1).mean(axis=1)
    dgamma = (dout * xhat).sum(axis=0).reshape(C, -1).mean(axis=1)
    dxhat = (dout).reshape(N * G, -1)
    xh = xhat.reshape(N * G, -1)
    D = xh.shape[1]
    dx = (1.0 / D) / std * (D * dxhat - dxhat.sum(axis=1, keepdims=True) - xh * (dxhat * xh).sum(axis=1, keepdims=True))
    return (dx.reshape(dy.shape) * gamma).astype(dy.dtype), dgamma.astype(dy.dtype), dbeta.astype(dy.dtype)
