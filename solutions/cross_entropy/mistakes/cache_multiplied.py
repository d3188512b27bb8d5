"""Cross-entropy whose cache is the gradient for a dy of 1, which backward multiplies in place."""

import numpy as np


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    wide = logits.astype(np.promote_types(logits.dtype, np.float32))
    counted = np.flatnonzero(targets != ignore_index)
    x, t = wide[counted], targets[counted]
    if np.any((t < 0) | (t >= logits.shape[1])):
        raise IndexError("a target is no class")
    shifted = x - x.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = np.arange(len(t))
    losses = -log_p[rows, t]
    if label_smoothing:
        losses = (1 - label_smoothing) * losses - label_smoothing * log_p.mean(axis=1)
    difference = np.exp(log_p) - label_smoothing / logits.shape[1]
    difference[rows, t] -= 1 - label_smoothing
    dlogits = np.zeros_like(difference, shape=logits.shape)
    dlogits[counted] = difference / len(t)
    return np.asarray(losses.sum() / len(t), logits.dtype), dlogits


def backward(dy, cache):
    cache *= dy.astype(cache.dtype)
    return (cache.astype(dy.dtype),)
