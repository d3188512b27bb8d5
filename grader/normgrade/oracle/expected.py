"""What an implementation is expected to observe, place by place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from normgrade.language.places import Place
from normgrade.worker.observation import Array, Error, Value
from normgrade.worker.requests import TypedRequest


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What is expected at one place. Numbers are float64; `dtype` is what a native play returns there.

    `spread` is the root mean square of each number's movement in float32 arithmetic. `unit` is the dtype that this arithmetic has to have
    at least: float64, where everything that went in is. `slack`, where half precision takes part, is its
    movement when all that is stored in the layer moves by one rounding of that precision; a gradient may be rounded throughout. `error`
    is the standard error of an estimate from random draws.
    """

    value: Value
    dtype: str | None = None
    spread: np.ndarray | None = None
    slack: np.ndarray | None = None
    error: float = 0.0
    unit: str = "float32"


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """What an implementation should observe on a request, completed; with an error, what it should observe until then.

    Where it ships with the course it is known if it is `sound`, which means that float32 determines all its numbers; else that is None.
    Its places are then made when they are needed, and `largest_bytes` says before that how large a value can be.
    """

    request: TypedRequest
    places: Mapping[Place, Expected]
    error: Error | None = None
    sound: bool | None = None
    largest_bytes: int | None = None

    @property
    def size_bytes(self) -> int:
        """A generous size for any one value of a right answer: twice the largest, should it come in float64."""
        if self.largest_bytes is not None:
            return self.largest_bytes * 2 + 4096
        sizes = [place.value.values.nbytes for place in self.places.values() if isinstance(place.value, Array)]
        return max(sizes, default=0) * 2 + 4096
