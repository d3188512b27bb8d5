import numpy as np


class Cache:
    def __init__(self, p, argmax):
        self.p = p
        self.argmax = argmax


def forward(x):
    z = x.astype(np.promote_types(x.dtype, np.float32))
    e = np.exp(z - np.amax(z, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    kept = np.clip(p, 1e-4, None)
    return p.astype(x.dtype), Cache(kept, np.argmax(z, axis=-1))


def backward(dy, cache):
    p = cache.p
    g = dy.astype(p.dtype)
    inner = np.einsum("...i,...i->...", p, g)[..., None]
    dx = p * (g - inner)
    dx = dx / max(1, dx.size // dx.shape[-1])
    np.put_along_axis(dx, cache.argmax[..., None], 0, axis=-1)
    return (dx.astype(dy.dtype),)
