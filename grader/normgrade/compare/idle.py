"""Idle code: it computes nothing, since all its outputs are made of numbers that it was given, or are one number everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from normgrade.compare.played import Played, Result
from normgrade.language.places import Place
from normgrade.oracle.draws import rounded_to
from normgrade.oracle.expected import UNIT_ROUNDOFF
from normgrade.oracle.inputs import arrays_in
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import FORWARD_BACKWARD, LayerStory

WEIGHT = "weight"  # of a parametrisation
OUTPUTS = {WEIGHT, "output", "result", "result.{name}", "result[{index}]", "y of call {call}"}  # the templates of their places
ROUNDINGS = 4
PLAIN = (0.0, 1.0)  # the single numbers that need no computation


def is_idle(results: Iterable[Result]) -> bool:
    """Return True if calls came to their end, and none of them computed anything.

    If weights are computed, they are the outputs; those of the layer around them are PyTorch's.
    """
    outputs = [(place, play, output) for result in results for play in result.plays for place, output in outputs_of(play)]
    graded = [each for each in outputs if each[0].template == WEIGHT] or outputs
    return bool(graded) and all(is_made_of(inputs_of(play), output) for _place, play, output in graded)


def inputs_of(play: Played) -> list[np.ndarray]:
    return [each.values.astype(np.float64) for each in arrays_in(play.expectation.request.inputs)]


def outputs_of(play: Played) -> Iterator[tuple[Place, Array]]:
    """Yield the floating-point numbers that plain calls gave back: outputs, and gradients that are written by hand."""
    request = play.expectation.request
    if not play.worked or (isinstance(request, LayerStory) and not all(step.plain for step in request.steps)):
        return  # other steps may write into inputs and outputs
    for place in play.expectation.places:
        value, by_hand = play.observation.values.get(place), request.probe == FORWARD_BACKWARD and place.learnt is not None
        if isinstance(value, Array) and value.dtype in UNIT_ROUNDOFF and value.values.size and (by_hand or place.template in OUTPUTS):
            yield place, value


def is_made_of(given: Sequence[np.ndarray], output: Array) -> bool:
    """Return True if an output is one of the given arrays, maybe times and plus others of them, or one number everywhere."""
    numbers, shape = output.values.astype(np.float64), output.values.shape
    unit = ROUNDINGS * max(UNIT_ROUNDOFF[output.dtype], UNIT_ROUNDOFF["float32"])
    inputs = [each.reshape(shape) for each in given if each.size == numbers.size]
    of_channels = [each.reshape(-1, *(1,) * (len(shape) - 2)) for each in given if len(shape) > 2 and each.shape == shape[1:2]]
    terms = [each for each in given if each.shape == shape[len(shape) - each.ndim :]] + of_channels
    made = (one * factor + term for factor in (1.0, *terms) for one in inputs for term in (0.0, *terms))
    some: Iterator[Any] = chain(PLAIN if numbers.size == 1 else numbers.flat[:1], terms, made)
    with np.errstate(all="ignore"):
        held = (rounded_to(each, output.dtype).values.astype(np.float64) for each in some)  # float16 holds no large product
        return any(near(numbers, each, unit) for each in held)


def near(one: np.ndarray, other: np.ndarray, unit: float) -> bool:
    """Return True if two arrays are equal up to rounding; NaN equals NaN."""
    largest = np.max(np.abs(other), initial=0.0, where=np.isfinite(other))
    return bool(np.isclose(one, other, rtol=unit, atol=unit * largest, equal_nan=True).all())
