"""Weight normalisation, by hand. `normgrade show weight_norm` tells the task, `normgrade check weight_norm` grades this file."""

from torch import Tensor, nn


class WeightNorm(nn.Module):
    """A weight that is kept as lengths `g` and directions `v`: g · v / ‖v‖."""

    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        """Starts at this weight. `v` has its shape; `g` has one length for each index of dim, and size 1 in all other dimensions."""
        super().__init__()
        raise NotImplementedError("keep dim, and register g and v: neither shares memory with weight")

    def forward(self) -> Tensor:
        """The weight, in the shape and dtype of v."""
        raise NotImplementedError("divide v by its lengths over all dimensions but dim, then multiply by g")
