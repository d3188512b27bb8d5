"""Filter response normalisation, by hand. `normgrade show filter_response_norm` tells the task, `normgrade check filter_response_norm`
grades this file."""

from torch import Tensor, nn


class FilterResponseNorm(nn.Module):
    """Divides every feature map of x by its root mean square, scales and shifts it, and cuts it off at a learnt threshold."""

    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        """`weight`, `bias`, `threshold`: (num_features,)."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register the three parameters")

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) → the same shape and dtype."""
        # A ValueError where x does not have 4 dimensions, in both modes.
        raise NotImplementedError("divide every feature map by its root mean square, scale and shift it, take the maximum with threshold")
