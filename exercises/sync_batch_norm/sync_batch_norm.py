"""Synchronised batch norm, by hand. `normgrade show sync_batch_norm` tells the task, `normgrade check sync_batch_norm` grades this file."""

from collections.abc import Callable

from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    """Normalises every channel of x: by the batch of all ranks together in training, by the running statistics in evaluation."""

    def __init__(
        self,
        num_features: int,
        all_reduce: Callable[[Tensor], Tensor],
        eps: float = 1e-5,
        momentum: float | None = 0.1,
    ) -> None:
        """`all_reduce` returns the sum of a tensor over all ranks.

        `weight`, `bias`, `running_mean`, `running_var`: (num_features,); `num_batches_tracked`: ().
        """
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, *), the batch of this rank → the same shape and dtype."""
        # A ValueError where x has fewer than 2 dimensions, and in training where all ranks have one value per channel together.
        raise NotImplementedError("normalise every channel of x by the values of all ranks, scale and shift it; in training, update")
