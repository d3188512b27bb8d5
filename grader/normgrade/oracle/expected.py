"""The expectation of a request, place by place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from normgrade.language.places import Place
from normgrade.oracle.deferred import Deferred
from normgrade.worker.wire.observation import Array, Error, Value
from normgrade.worker.wire.requests import TypedRequest

UNIT_ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The expectation at one place. Numbers are float64; `dtype` is that of a native play.

    `spread` is the root mean square of each number's movement in float32 arithmetic. `unit` is the dtype that the arithmetic has to have
    at least. `slack` is given if half precision takes part: each number's movement when all that is
    stored in the layer moves by one rounding of that precision; a gradient may be rounded throughout. `error` is the standard error of an
    estimate from random draws.
    """

    value: Value
    dtype: str | None = None
    spread: np.ndarray | None = None
    slack: np.ndarray | None = None
    error: float = 0.0
    unit: str = "float32"


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """The expected observation on a completed request; with an error, the observation until then.

    If it ships with the course, `sound` tells if float32 determines all its numbers; otherwise it is None. The places of a shipped
    expectation are made when they are needed, and `largest_bytes` tells before that how large a value can be.
    """

    request: TypedRequest
    places: Mapping[Place, Expected]
    error: Error | None = None
    sound: bool | None = None
    largest_bytes: int | None = None

    def in_float64(self) -> Expectation:
        """Return the expectation that float64 is computed in float64."""

        def places() -> Mapping[Place, Expected]:
            return {name: replace(each, unit="float64") if each.dtype == "float64" else each for name, each in self.places.items()}

        return replace(self, places=Deferred(places))

    @property
    def size_bytes(self) -> int:
        """A generous size for any one value of a right answer: twice the largest, in case it comes in float64."""
        if self.largest_bytes is not None:
            return self.largest_bytes * 2 + 4096
        sizes = [place.value.values.nbytes for place in self.places.values() if isinstance(place.value, Array)]
        return max(sizes, default=0) * 2 + 4096
