"""cross entropy: ignore_index + label smoothing"""
import numpy as np


def log_softmax(x):
    m = x.max(axis=-1, keepdims=True)
    return x - m - np.log(np.exp(x - m).sum(axis=-1, keepdims=True))


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    mask = targets != ignore_index
    y = targets.astype(np.int64, copy=False)
    y[~mask] = 0  # any valid class, masked out below
    if (y < 0).any() or (y >= logits.shape[1]).any():
        raise IndexError("bad target")
    x = logits.astype(np.promote_types(logits.dtype, np.float32))
    lp = log_softmax(x)
    per_row = -np.take_along_axis(lp, y[:, None], axis=1)[:, 0]
    if label_smoothing > 0:
        per_row = (1 - label_smoothing) * per_row - label_smoothing * lp.mean(axis=1)
    n = mask.sum()
    loss = (per_row * mask).sum() / n
    cache = dict(p=np.exp(lp), y=y, mask=mask, n=n, ls=label_smoothing)
    return np.asarray(loss, dtype=lp.dtype), cache


def backward(dy, cache):
    g = cache["p"]
    # p - q
    g -= cache["ls"] / g.shape[1]
    g[np.arange(len(g)), cache["y"]] -= 1 - cache["ls"]
    dx = g * cache["mask"][:, None] * (dy.astype(g.dtype) / max(cache["n"], 1))
    return (dx.astype(g.dtype),)
