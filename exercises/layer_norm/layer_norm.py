"""Layer normalisation, by hand. `normgrade show layer_norm` tells the task, `normgrade check layer_norm` grades this file."""

from collections.abc import Sequence

from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Normalises every position of x over its last dimensions, those of `normalized_shape`."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        """`weight` and `bias` have the shape `normalized_shape`; a switched-off one is None."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register weight and bias")

    def forward(self, x: Tensor) -> Tensor:
        """(…, *normalized_shape) → the same shape and dtype."""
        raise NotImplementedError("normalise x over its last dimensions, then scale and shift it")
