"""RMS norm and its backward pass, by hand.

`normgrade show rms_norm_backward` tells the task, `normgrade check rms_norm_backward` grades this file.
"""

from typing import Any

import numpy as np


def forward(x: np.ndarray, weight: np.ndarray, eps: float = 1e-6) -> tuple[np.ndarray, Any]:
    """x (…, D), weight (D,) → y, of the shape and dtype of x, and whatever `backward` needs."""
    raise NotImplementedError("normalise every row, and decide what backward will need")


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray]:
    """dy (…, D), the gradient of y, and the cache of its call → the gradients of x and weight."""
    raise NotImplementedError("return (dx, dweight)")
