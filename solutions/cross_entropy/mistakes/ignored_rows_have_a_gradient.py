"""Ignored rows are left out of the loss only."""

import numpy as np


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    wide = logits.astype(np.promote_types(logits.dtype, np.float32))
    counts = targets != ignore_index
    if np.any((targets[counts] < 0) | (targets[counts] >= logits.shape[1])):
        raise IndexError("a target is no class")
    t = np.where(counts, targets, 0).astype(np.int64)
    rows = np.arange(len(t))
    shifted = wide - wide.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    losses = -log_p[rows, t]
    if label_smoothing:
        losses = (1 - label_smoothing) * losses - label_smoothing * log_p.mean(axis=1)
    loss = losses[counts].sum() / counts.sum()
    return np.asarray(loss, logits.dtype), (np.exp(log_p), rows, t, label_smoothing, counts.sum())


def backward(dy, cache):
    p, rows, t, label_smoothing, number = cache
    difference = p - label_smoothing / p.shape[1]
    difference[rows, t] -= 1 - label_smoothing
    return ((dy.astype(p.dtype) * difference / max(number, 1)).astype(dy.dtype),)
