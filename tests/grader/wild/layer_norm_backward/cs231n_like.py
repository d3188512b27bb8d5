import numpy as np


def forward(x, weight, bias, eps=1e-8):
    #step0: wide numbers
    X = x.astype(np.promote_types(x.dtype, np.float32))
    #step1: mean
    mu = np.mean(X, axis=-1, keepdims=True)
    #step2: subtract mean
    xmu = X - mu
    #step3 + 4: variance
    sq = xmu ** 2
    var = np.mean(sq, axis=-1, keepdims=True)
    #step5 + 6: sqrt and invert
    sqrtvar = np.sqrt(var + eps)
    ivar = 1. / sqrtvar
    #step7: normalise
    xhat = xmu * ivar
    #step8 + 9
    out = weight * xhat + bias
    cache = (xhat, weight, xmu, ivar, sqrtvar)
    return out.astype(np.float64), cache


def backward(dy, cache):
    xhat, weight, xmu, ivar, sqrtvar = cache
    dout = dy.astype(xhat.dtype)
    D = dout.shape[-1]
    #step9 + 8
    rows = (0,) if dout.ndim > 1 else ()
    dbeta = np.sum(dout, axis=rows)
    dgamma = np.sum(dout * xhat, axis=rows)
    dxhat = dout * weight
    #step7
    divar = np.sum(dxhat * xmu, axis=-1, keepdims=True)
    dxmu1 = dxhat * ivar
    #step6 + 5
    dsqrtvar = -1. / (sqrtvar ** 2) * divar
    dvar = 0.5 * 1. / sqrtvar * dsqrtvar
    #step4 + 3
    dsq = np.ones_like(dout) / D * dvar
    dxmu2 = 2 * xmu * dsq / D
    #step2 + 1
    dx1 = dxmu1 + dxmu2
    dmu = -1 * np.sum(dx1, axis=-1, keepdims=True)
    dx = dx1 + np.ones_like(dout) / D * dmu
    return dx.astype(np.float64), dgamma[None].astype(np.float64), dbeta[None].astype(np.float64)
