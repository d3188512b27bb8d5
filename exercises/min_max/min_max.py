"""Min-max normalisation, by hand. `normgrade show min_max` tells the task, `normgrade check min_max` grades this file."""

from torch import Tensor


def min_max(x: Tensor) -> Tensor:
    """(N, D) → the same shape and dtype: every feature, a column, runs from 0 to 1. A constant feature is 0."""
    # A ValueError where x does not have 2 dimensions.
    raise NotImplementedError("subtract the minimum of every feature and divide by its range; mind constant features")
