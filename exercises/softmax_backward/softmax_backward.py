"""Softmax and its backward pass, by hand.

`normgrade show softmax_backward` tells the task, `normgrade check softmax_backward` grades this file.
"""

from typing import Any

import numpy as np


def forward(x: np.ndarray) -> tuple[np.ndarray, Any]:
    """x (…, D) → the softmax along the last axis, of the shape and dtype of x, and whatever `backward` needs."""
    raise NotImplementedError("compute y, and decide what backward will need of it")


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray]:
    """dy (…, D), the gradient of y, and the cache of its call → the gradient of x, in a tuple of one."""
    raise NotImplementedError("return (dx,)")
