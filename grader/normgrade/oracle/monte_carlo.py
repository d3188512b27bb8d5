"""Monte Carlo arithmetic for both libraries, and the movement of numbers in it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np

from normgrade.course.tensor_library import Library
from normgrade.oracle import rounded_array
from normgrade.worker.wire.observation import Array, Observation

PLAYS = 16  # P: plays in Monte Carlo arithmetic; with 8, a spread is now and then too small by chance


def random_rounding(written_with: Library, unit: float, seed: int) -> AbstractContextManager[object]:
    """Return the Monte Carlo arithmetic of a library."""
    if written_with is Library.NUMPY:
        return rounded_array.RandomRounding(unit, seed)
    from normgrade.oracle import rounding  # loads PyTorch

    return rounding.RandomRounding(unit, seed)


def movement(true: Array, place: str, moved: Sequence[Observation]) -> np.ndarray:
    """Return the root mean square of the movement, number by number. It is infinite if a play did not reach this place."""
    squares = np.zeros(true.values.shape)
    with np.errstate(all="ignore"):
        for play in moved:
            value = play.values.get(place)
            same_shape = isinstance(value, Array) and value.values.shape == true.values.shape
            squares += (value.values - true.values) ** 2 if same_shape else np.inf  # type: ignore[union-attr]
        return np.sqrt(squares / len(moved))
