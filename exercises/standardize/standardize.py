"""Standardisation, by hand. `normgrade show standardize` tells the task, `normgrade check standardize` grades this file."""

from torch import Tensor


def standardize(x: Tensor) -> Tensor:
    """(N, D) → the same shape and dtype: every feature, a column, has mean 0 and biased variance 1. A constant feature is 0."""
    # A ValueError where x does not have 2 dimensions.
    raise NotImplementedError("centre every feature and divide it by its standard deviation; mind constant features")
