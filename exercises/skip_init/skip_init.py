"""SkipInit, by hand. `normgrade show skip_init` tells the task, `normgrade check skip_init` grades this file."""

from collections.abc import Callable

from torch import Tensor, nn


class SkipInit(nn.Module):
    """A residual block without a norm: the branch is multiplied by one learnt number before it is added to the skip."""

    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        """`branch` is a Module or a plain function that keeps the shape of x. `alpha` is learnt, and begins at the number given here."""
        super().__init__()
        raise NotImplementedError("keep the branch, and register alpha")

    def forward(self, x: Tensor) -> Tensor:
        """(…) → the same shape and dtype."""
        raise NotImplementedError("add alpha times the branch's output to x")
