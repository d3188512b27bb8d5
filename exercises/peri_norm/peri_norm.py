"""Peri-LN and output norm. `normgrade show peri_norm` tells the task, `normgrade check peri_norm` grades this file."""

from collections.abc import Callable

from torch import Tensor, nn


class NormBlock(nn.Module):
    """A residual block whose norms stand before the sublayer, after it, on both sides of it, or after the sum."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor], placement: str = "peri") -> None:
        """`placement` is "pre", "post", "output" or "peri". `norm_in` and `norm_out` are torch.nn.LayerNorms, where they are needed."""
        super().__init__()
        raise NotImplementedError("refuse other placements, register the norms that this one needs, and keep the sublayer")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("add x and what the sublayer makes of it, with the norms where the placement has them")
