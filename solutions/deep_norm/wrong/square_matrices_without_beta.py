"""Square matrices are drawn with gain 1."""

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
    n, m = encoder_layers, decoder_layers
    if n and m:
        both = (n**4 * m) ** (1 / 16)  # how deep an encoder may be depends on the decoder that learns through it
        return DeepNormCoefficients(0.81 * both, 0.87 / both, (3 * m) ** (1 / 4), (12 * m) ** (-1 / 4))
    if n:
        return DeepNormCoefficients(encoder_alpha=(2 * n) ** (1 / 4), encoder_beta=(8 * n) ** (-1 / 4))
    if m:
        return DeepNormCoefficients(decoder_alpha=(2 * m) ** (1 / 4), decoder_beta=(8 * m) ** (-1 / 4))
    return DeepNormCoefficients()


class DeepNorm(nn.Module):
    """y = LN(α · x + F(x)): α strengthens the skip, and the norm comes last, as in Post-LN."""

    def __init__(self, dim: int, alpha: float, sublayer: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.alpha = alpha
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.alpha * x + self.sublayer(x))


def deepnorm_init_(query: nn.Linear, key: nn.Linear, value: nn.Linear, out: nn.Linear, fc1: nn.Linear, fc2: nn.Linear, beta: float) -> None:
    gains = {query: 1, key: 1, value: beta, out: beta, fc1: beta, fc2: beta}  # query and key only steer the attention weights
    for linear, gain in gains.items():
        nn.init.xavier_normal_(linear.weight, gain if linear.in_features != linear.out_features else 1)
        if linear.bias is not None:
            nn.init.zeros_(linear.bias)
