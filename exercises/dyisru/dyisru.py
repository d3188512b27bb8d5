"""Dynamic inverse square root unit, by hand. `normgrade show dyisru` tells the task, `normgrade check dyisru` grades this file."""

from torch import Tensor, nn


class DyISRU(nn.Module):
    """Squashes every number of x by x / √(x² + c), then scales and shifts it."""

    def __init__(self, dim: int, c: float = 1.0) -> None:
        """`dim` is the size of the last dimension of x. `weight` and `bias` have the shape (dim,), `c` is one learnt number."""
        super().__init__()
        raise NotImplementedError("register c, weight and bias")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("squash x, multiply by √dim, then scale and shift")
