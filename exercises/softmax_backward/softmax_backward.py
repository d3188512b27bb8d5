"""The backward pass of softmax, by hand. `normgrade show softmax_backward` tells the task, `normgrade check softmax_backward` grades this file."""

from typing import Any

import numpy as np


def forward(x: np.ndarray) -> tuple[np.ndarray, Any]:
    """(…, D) → the softmax over the last axis, of the same shape and dtype, and what `backward` needs."""
    raise NotImplementedError("compute y, and decide what backward will need of it")


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray]:
    """The gradient of y, (…, D) → the gradient of x, in a tuple of one."""
    raise NotImplementedError("return (dx,)")
