"""The library's own layer, inherited from."""

from torch import nn


class LayerNorm(nn.LayerNorm):
    """Layer norm by the library."""
