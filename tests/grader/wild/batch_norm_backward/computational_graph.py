import numpy as np


def axes_of(x):
    return (0,) + tuple(range(2, x.ndim))


def per_channel(v, ndim):
    return v.reshape((1, -1) + (1,) * (ndim - 2))


def forward(x, weight, bias, eps=1e-5):
    if x.ndim < 2:
        raise ValueError("x must have a channel dimension")
    h = x
    ax = axes_of(x)
    mu = h.mean(axis=ax, keepdims=True)
    diff = h - mu
    var = (diff * diff).mean(axis=ax, keepdims=True)
    istd = (var + eps) ** -0.5
    norm = diff * istd
    y = per_channel(weight, x.ndim) * norm + per_channel(bias, x.ndim)
    return y.astype(x.dtype), {"diff": diff, "istd": istd, "gamma": weight}


def backward(dy, cache):
    diff, istd, gamma = cache["diff"], cache["istd"], cache["gamma"]
    ax = axes_of(dy)
    m = diff.size / diff.shape[1]
    g = dy.astype(diff.dtype, copy=False)
    dbias = g.sum(axis=0)
    dweight = (g * diff * istd).sum(axis=0)
    g *= per_channel(gamma, dy.ndim)
    dvar = (g * diff * -0.5 * istd ** 3).sum(axis=ax, keepdims=True)
    dmu = (-g * istd).sum(axis=ax, keepdims=True)
    dx = g * istd + (dvar * 2 * diff.mean() + dmu) / m
    return dx.astype(dy.dtype), dweight.astype(dy.dtype), dbias.astype(dy.dtype)
