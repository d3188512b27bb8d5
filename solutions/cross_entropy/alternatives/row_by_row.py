"""Row by row, in float64; the cache holds the gradient for a dy of 1.

zh: 逐行计算，用 float64；cache 里是 dy 为 1 时的梯度。
"""

import numpy as np


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    gradient, losses = np.zeros(logits.shape), []
    for row, (x, t) in enumerate(zip(logits, targets, strict=True)):
        if t == ignore_index:
            continue
        if not 0 <= t < len(x):
            raise IndexError(f"target {t} of row {row} is out of range")
        x = x.astype(np.float64)
        log_sum = np.logaddexp.reduce(x)
        loss = log_sum - x[t]
        gradient[row] = np.exp(x - log_sum)
        gradient[row, t] -= 1 - label_smoothing
        if label_smoothing > 0:
            loss = (1 - label_smoothing) * loss + label_smoothing * (log_sum - x.mean())
            gradient[row] -= label_smoothing / len(x)
        losses.append(loss)
    mean = sum(losses) / len(losses) if losses else np.nan
    return logits.dtype.type(mean), gradient / max(len(losses), 1)


def backward(dy, cache):
    return ((float(dy) * cache).astype(dy.dtype),)
