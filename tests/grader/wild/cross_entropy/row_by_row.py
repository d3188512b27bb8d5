import numpy as np


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    N, C = logits.shape
    z = logits.astype(np.promote_types(logits.dtype, np.float32))
    probs = np.zeros_like(z)
    total = z.dtype.type(0)
    used = []
    for i in range(N):
        t = int(targets[i])
        if t == -100:
            continue
        if t >= C:
            raise IndexError(f"target {t} out of range")
        row = z[i] - z[i].max()
        e = np.exp(row)
        probs[i] = e / e.sum()
        logp = np.log(probs[i])
        li = -logp[t]
        if label_smoothing:
            li = (1 - label_smoothing) * li - label_smoothing * logp.mean()
        total = total + li
        used.append((i, t))
    loss = total / np.float64(len(used))
    return np.asarray(loss, dtype=logits.dtype), (probs, used, label_smoothing)


def backward(dy, cache):
    probs, used, eps = cache
    N, C = probs.shape
    dx = np.zeros_like(probs)
    g = dy.astype(probs.dtype)
    for i, t in used:
        q = np.full(C, eps / C, dtype=probs.dtype)
        q[t] += 1 - eps
        dx[i] = g * (probs[i] - q) / N
    return (dx.astype(dy.dtype),)
