"""Batch normalisation, by hand. `normgrade show batch_norm` tells the task, `normgrade check batch_norm` grades this file."""

from torch import Tensor, nn


class BatchNorm(nn.Module):
    """Normalises every channel of x: by the batch in training, by the running statistics in evaluation."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        """`weight`, `bias`, `running_mean`, `running_var`: (num_features,); `num_batches_tracked`: (); a switched-off one is None."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C), (N, C, L) or (N, C, H, W) → the same shape and dtype."""
        # A ValueError where x does not have 2, 3 or 4 dimensions, and in training where every channel has a single value.
        raise NotImplementedError("normalise every channel of x, scale and shift it; in training, update the running statistics")
