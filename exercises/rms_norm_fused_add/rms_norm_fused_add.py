"""A residual sum and its RMS norm, by hand.

`normgrade show rms_norm_fused_add` tells the task, `normgrade check rms_norm_fused_add` grades this file.
"""

from torch import Tensor


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    """Return y and total: total = x + residual has the shape of x, and y is its RMS norm over the last dimension, times `weight`."""
    raise NotImplementedError("write a torch.autograd.Function with a forward and a backward, and apply it")
