"""Cross-entropy of logits, and its gradient."""

from typing import Any

import numpy as np


def forward(logits: np.ndarray, targets: np.ndarray, ignore_index: int = -100, label_smoothing: float = 0.0) -> tuple[np.ndarray, Any]:
    """The mean of −log p of the target over the rows that count, p = softmax(logits)."""
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
    loss = losses.sum() / len(t)
    return np.asarray(loss, logits.dtype), (np.exp(log_p), rows, t, counted, label_smoothing, logits.shape)


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray]:
    """(p − q) / n for the n rows that count, where q is the smoothed target; 0 for the others."""
    p, rows, t, counted, label_smoothing, shape = cache
    difference = p - label_smoothing / shape[1]
    difference[rows, t] -= 1 - label_smoothing
    dlogits = np.zeros_like(p, shape=shape)
    dlogits[counted] = dy.astype(p.dtype) * difference / len(t)
    return (dlogits.astype(dy.dtype),)
