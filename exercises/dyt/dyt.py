"""Dynamic Tanh, by hand. `normgrade show dyt` tells the task, `normgrade check dyt` grades this file."""

from torch import Tensor, nn


class DyT(nn.Module):
    """Squashes every number of x by tanh, then scales and shifts it."""

    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        """`dim` is the size of the last dimension of x. `weight` and `bias` have the shape (dim,), `alpha` is one learnt number."""
        super().__init__()
        raise NotImplementedError("register alpha, weight and bias")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("multiply x by alpha, take tanh, then scale and shift")
