"""Instance normalisation, by hand. `normgrade show instance_norm` tells the task, `normgrade check instance_norm` grades this file."""

from torch import Tensor, nn


class InstanceNorm(nn.Module):
    """Normalises every channel of every sample by itself; with tracking, by the running statistics in evaluation."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
    ) -> None:
        """`weight`, `bias`, `running_mean`, `running_var`: (num_features,); `num_batches_tracked`: (); a switched-off one is None."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, L) or (N, C, H, W) → the same shape and dtype."""
        # A ValueError where x does not have 3 or 4 dimensions, and where a variance is needed of a single position.
        raise NotImplementedError("normalise every channel of every sample, then do what affine and tracking ask for")
