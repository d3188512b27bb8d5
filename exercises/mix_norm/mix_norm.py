"""Mix-LN. `normgrade show mix_norm` tells the task, `normgrade check mix_norm` grades this file."""

from collections.abc import Callable, Sequence

from torch import Tensor, nn


class MixNormStack(nn.Module):
    """Residual layers one after the other: the first of them Post-LN, the rest Pre-LN."""

    def __init__(self, dim: int, sublayers: Sequence[Callable[[Tensor], Tensor]], post_ratio: float = 0.25) -> None:
        """One torch.nn.LayerNorm(dim) for each sublayer, in their order; the first ⌊L · post_ratio⌋ of L layers are Post-LN."""
        super().__init__()
        raise NotImplementedError("register a norm for each sublayer, keep the sublayers, and count the Post-LN layers")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("go through the layers in order, each with its norm after the sum or in front of the sublayer")
