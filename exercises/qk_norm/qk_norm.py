"""QK-norm, by hand. `normgrade show qk_norm` tells the task, `normgrade check qk_norm` grades this file."""

from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """Self-attention whose queries and keys are divided by their root mean square before they meet."""

    def __init__(self, dim: int, heads: int, per_head: bool = True, eps: float = 1e-6) -> None:
        """`per_head` decides which numbers of a query or a key share a root mean square: those of one head, or all of them."""
        super().__init__()
        raise NotImplementedError("refuse heads that do not divide dim, then register the four projections and the two norms")

    def forward(self, x: Tensor, cos: Tensor | None = None, sin: Tensor | None = None) -> Tensor:
        """(batch, length, dim) → the same shape and dtype. `cos` and `sin` have the shape (length, dim / heads)."""
        raise NotImplementedError("project x, normalise queries and keys, rotate them if there are cos and sin, then attend")
