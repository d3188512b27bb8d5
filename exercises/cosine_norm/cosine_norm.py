"""Cosine normalisation, by hand. `normgrade show cosine_norm` tells the task, `normgrade check cosine_norm` grades this file."""

from torch import Tensor, nn


class CosineLinear(nn.Module):
    """A linear layer without bias whose outputs are the cosines between x and the rows of its weight."""

    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        """`weight` has the shape (out_features, in_features) and starts at random; no length is divided by that is below eps."""
        super().__init__()
        raise NotImplementedError("keep eps, and register weight")

    def forward(self, x: Tensor) -> Tensor:
        """(…, in_features) → (…, out_features), in the dtype of x."""
        raise NotImplementedError("divide x and every row of the weight by its length, then multiply")
