"""DeepNorm, by hand. `normgrade show deep_norm` tells the task, `normgrade check deep_norm` grades this file."""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn


class DeepNormCoefficients(NamedTuple):
    """α scales the skip of every block, β the initial weights; None on a side that has no layers."""

    encoder_alpha: float | None = None
    encoder_beta: float | None = None
    decoder_alpha: float | None = None
    decoder_beta: float | None = None


def deepnorm_coefficients(encoder_layers: int = 0, decoder_layers: int = 0) -> DeepNormCoefficients:
    """The coefficients of a Transformer with so many layers on each side, of which either may have none."""
    raise NotImplementedError("tell four cases apart: both sides, an encoder alone, a decoder alone, neither")


class DeepNorm(nn.Module):
    """A residual block around `sublayer`: the skip is scaled by `alpha`, and the sum is normalised by `norm`."""

    def __init__(self, dim: int, alpha: float, sublayer: Callable[[Tensor], Tensor]) -> None:
        """`norm` is a torch.nn.LayerNorm(dim); `sublayer` is a Module or a plain function, (…, dim) → (…, dim)."""
        super().__init__()
        raise NotImplementedError("keep alpha and the sublayer, and make the norm")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("add the sublayer's output to the scaled skip, and normalise the sum")


def deepnorm_init_(query: nn.Linear, key: nn.Linear, value: nn.Linear, out: nn.Linear, fc1: nn.Linear, fc2: nn.Linear, beta: float) -> None:
    """Draws the weights of a layer's attention and feed-forward net anew, and sets its biases to zero: all in place."""
    raise NotImplementedError("Xavier weights with the right gain for each of the six, then the biases")
