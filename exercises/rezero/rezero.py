"""ReZero, by hand. `normgrade show rezero` tells the task, `normgrade check rezero` grades this file."""

from collections.abc import Callable, Sequence

from torch import Tensor, nn


class ReZero(nn.Module):
    """A stack of residual blocks without a norm: each sublayer's output is multiplied by a learnt number that begins at 0."""

    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        """`sublayers` are Modules or plain functions that keep the shape of x. `alphas` has the shape (L,), one number for each of them."""
        super().__init__()
        raise NotImplementedError("keep the sublayers, such that the Modules among them are registered, and register alphas")

    def forward(self, x: Tensor) -> Tensor:
        """(…) → the same shape and dtype."""
        raise NotImplementedError("go through the sublayers in order, and add each one's scaled output to x")
