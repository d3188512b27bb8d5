"""Switchable normalisation, by hand. `normgrade show switchable_norm` tells the task, `normgrade check switchable_norm` grades it."""

from torch import Tensor, nn


class SwitchNorm(nn.Module):
    """Normalises x by a learnt mixture of instance, layer and batch statistics."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        """`weight`, `bias`, `running_mean`, `running_var`: (num_features,); `mean_weight`, `var_weight`: (3,), instance, layer, batch."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the parameters and buffers")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) → the same shape and dtype."""
        # A ValueError where x does not have 4 dimensions, in both modes.
        raise NotImplementedError(
            "mix the three means and the three variances, normalise x, scale and shift it; in training, update the buffers"
        )
