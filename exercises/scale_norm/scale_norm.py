"""Scale normalisation, by hand. `normgrade show scale_norm` tells the task, `normgrade check scale_norm` grades this file."""

from torch import Tensor, nn


class ScaleNorm(nn.Module):
    """Divides every position of x by its length, then multiplies it by g."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        """`dim` is the size of the last dimension of x. `g` is one number and starts at √dim."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register g")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("divide x by its length over the last dimension, then multiply it by g")
