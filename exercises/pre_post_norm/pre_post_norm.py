"""Pre-LN and Post-LN. `normgrade show pre_post_norm` tells the task, `normgrade check pre_post_norm` grades this file."""

from collections.abc import Callable, Sequence

from torch import Tensor, nn


class PostNorm(nn.Module):
    """A residual block with its norm after the sum, as in the first Transformer."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor]) -> None:
        """`dim` is the size of the last dimension of x. `norm` is a torch.nn.LayerNorm(dim)."""
        super().__init__()
        raise NotImplementedError("register norm, and keep the sublayer")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("add x and what the sublayer makes of it, then normalise the sum")


class PreNorm(nn.Module):
    """A residual block with its norm in front of the sublayer, as in GPT-2."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor]) -> None:
        """`dim` is the size of the last dimension of x. `norm` is a torch.nn.LayerNorm(dim)."""
        super().__init__()
        raise NotImplementedError("register norm, and keep the sublayer")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("give the sublayer the norm of x, and add what comes back to x")


class PreNormStack(nn.Module):
    """Pre-LN blocks one after the other, with one more norm at the very end."""

    def __init__(self, dim: int, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        """One torch.nn.LayerNorm(dim) for each sublayer, in their order, and a last one called `norm`."""
        super().__init__()
        raise NotImplementedError("make a block of each sublayer, and register norm")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("go through the blocks in order, then through norm")
