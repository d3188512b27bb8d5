"""Centring, by hand."""

from torch import Tensor, nn


class Centring(nn.Module):
    """`weight` and the buffer `running_mean`: (num_features,); the buffer `steps`: ()."""

    def __init__(self, num_features: int, momentum: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("register weight, running_mean and steps")

    def forward(self, x: Tensor) -> Tensor:
        """(N, num_features) → the same."""
        raise NotImplementedError("subtract the mean, multiply by weight")
