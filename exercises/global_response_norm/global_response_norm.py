"""Global response normalisation, by hand. `normgrade show global_response_norm` tells the task, `normgrade check global_response_norm`
grades this file."""

from torch import Tensor, nn


class GlobalResponseNorm(nn.Module):
    """Multiplies every channel of x by its share of the response, scales and shifts the product, and adds x."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        """`dim` is the size of the last dimension of x, the channels. `weight`, `bias`: (dim,), both zeros."""
        super().__init__()
        raise NotImplementedError("keep eps, and register weight and bias")

    def forward(self, x: Tensor) -> Tensor:
        """(N, …, dim), with one dimension of positions or more → the same shape and dtype."""
        # A ValueError if x has fewer than 3 dimensions, in both modes.
        raise NotImplementedError("compare the length of every channel with the mean length, and let that decide how much of x is added")
