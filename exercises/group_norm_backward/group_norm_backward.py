"""Group norm, and its backward pass, by hand.

`normgrade show group_norm_backward` tells the task, `normgrade check group_norm_backward` grades this file.
"""

from typing import Any

import numpy as np


def forward(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, num_groups: int, eps: float = 1e-5) -> tuple[np.ndarray, Any]:
    """x (N, C, …), weight (C,), bias (C,) → y, of the shape and dtype of x, and whatever `backward` needs."""
    # A ValueError where x has fewer than 2 dimensions, and where num_groups does not divide C.
    raise NotImplementedError("normalise every group, and decide what backward will need")


def backward(dy: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """dy (N, C, …), the gradient of y, and the cache of its call → the gradients of x, weight and bias."""
    raise NotImplementedError("return (dx, dweight, dbias)")
