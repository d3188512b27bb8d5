"""The numbers among the inputs of a request: found, widened to float64, or perturbed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from normgrade.oracle.draws import generator
from normgrade.worker.wire.observation import Array, Playable, Request


def arrays_in(inputs: Any) -> Iterator[Array]:
    """Yield all arrays among the inputs of a request."""
    if isinstance(inputs, Array):
        yield inputs
    elif isinstance(inputs, Mapping | list | tuple):
        for each in inputs.values() if isinstance(inputs, Mapping) else inputs:
            yield from arrays_in(each)


def holds_non_finite(inputs: Any) -> bool:
    """Return True if an array among the inputs has a few numbers that are not finite. With many, the suite has made a mistake."""
    match inputs:
        case Array(values, _):
            return values.dtype.kind == "f" and 0 < (~np.isfinite(values)).sum() < values.size / 2
        case Mapping():
            return any(map(holds_non_finite, inputs.values()))
        case list() | tuple():
            return any(map(holds_non_finite, inputs))
        case _:
            return False


def widened(request: Playable) -> Request:
    """Return the request with every floating-point number in float64, exactly."""
    return changed(request, lambda values: values.astype(np.float64))


def perturbed(request: Playable, unit: float, seed: int) -> Request:
    """Return the request with every number of its inputs multiplied by 1 + ξ·u."""
    return changed(request, shaking(unit, seed))


def shaking(unit: float, seed: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that multiplies numbers by 1 + ξ·u, with another ξ for each."""
    random = generator("perturbed", seed)
    return lambda values: values * (1 + unit * random.standard_normal(values.shape))


def changed(request: Playable, change: Callable[[np.ndarray], np.ndarray]) -> Request:
    """Return the request with `change(values)` for every array of floating-point numbers."""
    return Request(request.probe, floats(request.inputs, change))


def floats(thing: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Return the inputs of a request with `change(values)` for every array of floating-point numbers, in their order."""
    match thing:
        case Array(values, _):
            return Array(change(values), "float64") if values.dtype.kind == "f" else thing
        case Mapping():
            return {key: floats(value, change) for key, value in thing.items()}
        case list() | tuple():
            return type(thing)(floats(value, change) for value in thing)
        case _:
            return thing
