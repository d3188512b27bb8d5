"""The block of a diffusion Transformer. `normgrade show ada_ln_zero` tells the task, `normgrade check ada_ln_zero` grades this file."""

from collections.abc import Callable

from torch import Tensor, nn


class AdaLNZeroBlock(nn.Module):
    """Two residual branches, attention and MLP, each scaled, shifted and gated by a condition; the identity at the start."""

    def __init__(self, dim: int, cond_dim: int, attn: Callable[[Tensor], Tensor], mlp: Callable[[Tensor], Tensor]) -> None:
        """`modulation` is a torch.nn.Linear(cond_dim, 6 * dim) of zeros. attn and mlp map (batch, length, dim) to the same shape."""
        super().__init__()
        raise NotImplementedError("register modulation, and keep the sublayers")

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        """x: (batch, length, dim), c: (batch, cond_dim) → the shape and the dtype of x."""
        raise NotImplementedError("take six parts from the condition, and go through the two branches")
