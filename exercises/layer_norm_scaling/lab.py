"""Layer norm scaling at work: before every sublayer of a small language model."""

from shared_lab import WIDTH, language_model
from torch import nn


def scaled(impl, sublayers):
    """Attention and feed-forward are one layer, so both have its number. A norm after the last one brings the stream to one size."""
    blocks = [impl.ScaledPreNorm(WIDTH, each, number // 2 + 1) for number, each in enumerate(sublayers)]
    return nn.Sequential(*blocks, nn.LayerNorm(WIDTH))


LAB = [language_model(scaled)]
