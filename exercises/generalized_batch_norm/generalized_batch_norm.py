"""Generalised batch normalisation, by hand. `normgrade show generalized_batch_norm` tells the task.

`normgrade check generalized_batch_norm` grades this file.
"""

from collections.abc import Callable

from torch import Tensor, nn


class GeneralizedBatchNorm(nn.Module):
    """Normalises every channel of x by what two functions make of it: by the batch's numbers in training, by running ones in evaluation."""

    def __init__(
        self,
        num_features: int,
        statistic: Callable[[Tensor], Tensor],
        deviation: Callable[[Tensor], Tensor],
        eps: float = 1e-5,
        momentum: float = 0.1,
    ) -> None:
        """`statistic`, `deviation`: (C, n) → (C,). `weight`, `bias`, `running_statistic`, `running_deviation`: (num_features,)."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, *) → the same shape and dtype."""
        # A ValueError where x has fewer than 2 dimensions, in both modes.
        raise NotImplementedError("normalise every channel of x, scale and shift it; in training, update the running numbers")
