"""All rows are computed, and those that count are chosen by `where` at the end; ignored targets are read as class 0 meanwhile.

zh: 所有行都算，最后用 `where` 选出计入的行；被忽略的目标暂时当作第 0 类。
"""

import numpy as np


def forward(logits, targets, ignore_index=-100, label_smoothing=0.0):
    wide = logits.astype(np.promote_types(logits.dtype, np.float32))
    ignored = (targets == ignore_index)[:, np.newaxis]
    labels = np.where(ignored, 0, targets[:, np.newaxis]).astype(np.intp)
    if labels.size and (labels.min() < 0 or labels.max() >= wide.shape[1]):
        raise IndexError("no such class")
    wide = np.where(ignored, 0, wide)
    z = wide - np.amax(wide, axis=-1, keepdims=True)
    log_sum = np.log(np.sum(np.exp(z), axis=-1, keepdims=True))
    loss = log_sum - np.take_along_axis(z, labels, axis=-1)
    if label_smoothing:
        loss += label_smoothing * (np.take_along_axis(z, labels, axis=-1) - np.mean(z, axis=-1, keepdims=True))
    n = np.count_nonzero(~ignored)
    total = np.sum(np.where(ignored, 0, loss))
    cache = {"log_p": z - log_sum, "labels": labels, "ignored": ignored, "n": n, "eps": label_smoothing}
    return (total / n if n else total + np.nan).astype(logits.dtype), cache


def backward(dy, cache):
    dlogits = np.exp(cache["log_p"])
    number = dlogits.shape[-1]
    of_target = np.take_along_axis(dlogits, cache["labels"], axis=-1) - (1 - cache["eps"])
    np.put_along_axis(dlogits, cache["labels"], of_target, axis=-1)
    dlogits -= dlogits.dtype.type(cache["eps"] / number)
    dlogits = np.where(cache["ignored"], 0, dlogits)
    return ((dlogits * dy.astype(dlogits.dtype) / max(cache["n"], 1)).astype(dy.dtype),)
