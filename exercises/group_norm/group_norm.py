"""Group normalisation, by hand. `normgrade show group_norm` tells the task, `normgrade check group_norm` grades this file."""

from torch import Tensor, nn


class GroupNorm(nn.Module):
    """Normalises every sample of x by itself, one group of neighbouring channels at a time."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        """`weight` and `bias` have the shape (num_channels,), or are None. A ValueError where the groups cannot be of the same size."""
        super().__init__()
        raise NotImplementedError("check the arguments, keep those that forward needs, and register weight and bias")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, *) → the same shape and dtype."""
        raise NotImplementedError("normalise every group of channels of every sample, then scale and shift every channel")
