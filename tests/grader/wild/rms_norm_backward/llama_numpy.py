import numpy as np


def forward(x, weight, eps=1e-5):
    h = x
    rstd = 1.0 / np.sqrt(np.mean(h * h, axis=-1, keepdims=True) + eps)
    normed = h * rstd
    out = weight * normed
    return out.astype(x.dtype), dict(normed=normed, rstd=rstd, w=weight)


def backward(dy, cache):
    normed, rstd, w = cache["normed"], cache["rstd"], cache["w"]
    dout = dy.astype(normed.dtype)
    dw = np.sum(dout.reshape(-1, dout.shape[-1]) * normed.reshape(-1, dout.shape[-1]), axis=0, keepdims=True)
    dout = dout
    c = np.mean(dout * normed, axis=-1, keepdims=True)
    dx = w * rstd * (dout - normed * c)
    return [dx.astype(dy.dtype), dw.astype(dy.dtype)]
