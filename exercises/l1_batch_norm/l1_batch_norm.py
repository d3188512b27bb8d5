"""L1 batch normalisation, by hand. `normgrade show l1_batch_norm` tells the task, `normgrade check l1_batch_norm` grades this file."""

from torch import Tensor, nn


class L1BatchNorm(nn.Module):
    """Normalises every channel of x by its mean absolute deviation: the batch's in training, the running one in evaluation."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        """`weight`, `bias`, `running_mean`, `running_dev`: (num_features,)."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, *) → the same shape and dtype."""
        # A ValueError where x has fewer than 2 dimensions, in both modes.
        raise NotImplementedError("normalise every channel of x, scale and shift it; in training, update the running statistics")
