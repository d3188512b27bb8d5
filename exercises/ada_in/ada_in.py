"""Adaptive instance normalisation, by hand. `normgrade show ada_in` tells the task, `normgrade check ada_in` grades this file."""

from torch import Tensor


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    """(N, C, H, W) and (N, C, H', W') → the shape and dtype of content. Gives content's channels the mean and deviation of style's."""
    # A ValueError where content or style does not have 4 dimensions.
    raise NotImplementedError("normalise every channel of content by itself, then scale and shift it by the statistics of style")
