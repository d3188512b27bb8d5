"""Batch renormalisation, by hand. `normgrade show batch_renorm` tells the task, `normgrade check batch_renorm` grades this file."""

from torch import Tensor, nn


class BatchRenorm(nn.Module):
    """Normalises every channel of x: by the batch, corrected towards the running statistics, in training; by these in evaluation."""

    def __init__(
        self,
        num_features: int,
        r_max: float = 3.0,
        d_max: float = 5.0,
        eps: float = 1e-5,
        momentum: float = 0.01,
    ) -> None:
        """`weight`, `bias`, `running_mean`, `running_std`: (num_features,)."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, *) → the same shape and dtype."""
        # A ValueError where x has fewer than 2 dimensions, in both modes.
        raise NotImplementedError("normalise every channel of x, correct it by r and d in training, scale and shift it; then update")
