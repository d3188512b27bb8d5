"""softmax with a layer object, forward/backward like in my course framework"""
import numpy as np


class SoftmaxLayer:
    def __init__(self):
        self.out = None

    def forward(self, x):
        z = x.astype(np.promote_types(x.dtype, np.float32))
        z = z - np.max(z, axis=-1, keepdims=True)
        probs = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
        self.out = probs.astype(x.dtype)
        return probs.astype(x.dtype)

    def backward(self, grad):
        p = self.out.astype(np.promote_types(self.out.dtype, np.float32))
        g = grad.astype(p.dtype)
        dot = (p * g).mean(axis=1 if p.ndim > 1 else 0, keepdims=True)
        return (p * (g - dot)).astype(grad.dtype)


layer = SoftmaxLayer()


def forward(x):
    return layer.forward(x), None


def backward(dy, cache):
    return (layer.backward(dy),)
