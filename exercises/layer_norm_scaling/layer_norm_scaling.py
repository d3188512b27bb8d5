"""Layer norm scaling. `normgrade show layer_norm_scaling` tells the task, `normgrade check layer_norm_scaling` grades this file."""

from collections.abc import Callable

from torch import Tensor, nn


class ScaledPreNorm(nn.Module):
    """A residual block whose sublayer is given the layer norm of x, made smaller by the root of the layer's number."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor], layer: int) -> None:
        """`dim` is the size of the last dimension of x; `layer` is 1 in the first layer. `norm` is a torch.nn.LayerNorm(dim)."""
        super().__init__()
        raise NotImplementedError("register norm, and keep the sublayer and what you need of layer")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("normalise x, scale it, give it to the sublayer, and add what comes back to x")
