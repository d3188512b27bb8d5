"""Fixup, by hand. `normgrade show fixup` tells the task, `normgrade check fixup` grades this file."""

from collections.abc import Collection

from torch import Tensor, nn


class FixupBlock(nn.Module):
    """A residual block of two convolutions without a norm: four biases and a scale, each a single number, stand in its place."""

    def __init__(self, channels: int) -> None:
        """The convolutions are 3×3, from `channels` to `channels`, without a bias. Each bias begins at 0, the scale at 1."""
        super().__init__()
        raise NotImplementedError("register conv1, conv2, bias1a, bias1b, bias2a, bias2b and scale")

    def forward(self, x: Tensor) -> Tensor:
        """(N, channels, H, W) → the same shape and dtype."""
        raise NotImplementedError("add the branch to x, and apply a ReLU to the sum")


def fixup_init_(blocks: Collection[FixupBlock], classifier: nn.Linear) -> None:
    """Draws conv1 of every block anew, smaller the more blocks there are; conv2 and the classifier become zero: all in place."""
    raise NotImplementedError("conv1: He's rule times a factor of the number of blocks; conv2 and the classifier: zeros")
