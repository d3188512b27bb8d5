"""Cross-entropy whose smoothed part is that of all rows, ignored ones too."""

import numpy as np


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    wide = logits.astype(np.promote_types(logits.dtype, np.float32))
    counted = np.flatnonzero(targets != ignore_index)
    t = targets[counted]
    if np.any((t < 0) | (t >= logits.shape[1])):
        raise IndexError("a target is no class")
    shifted = wide - wide.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    loss = -log_p[counted, t].sum()
    if label_smoothing:
        loss = (1 - label_smoothing) * loss - label_smoothing * log_p.mean(axis=1).sum()
    return np.asarray(loss / len(t), logits.dtype), (np.exp(log_p), t, counted, label_smoothing)


def backward(dy, cache):
    p, t, counted, label_smoothing = cache
    dlogits = label_smoothing * (p - 1 / p.shape[1]) if label_smoothing else np.zeros_like(p)
    dlogits[counted] += (1 - label_smoothing) * p[counted]
    dlogits[counted, t] -= 1 - label_smoothing
    return ((dy.astype(p.dtype) * dlogits / max(len(t), 1)).astype(dy.dtype),)
