"""Idle code: it computes nothing, since all its outputs are made of numbers that it was given, or are one number everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from normgrade.compare.played import Played, Result
from normgrade.language.places import Place
from normgrade.oracle.expected import UNIT_ROUNDOFF
from normgrade.oracle.inputs import arrays_in
from normgrade.worker.wire.observation import Array, Playable
from normgrade.worker.wire.requests import FORWARD_BACKWARD, LayerStory

OUTPUTS = {"output", "result", "result.{name}", "result[{index}]", "y of call {call}"}  # the templates of their places
ROUNDINGS = 4
PLAIN = (0.0, 1.0)  # the single numbers that need no computation


def is_idle(results: Iterable[Result]) -> bool:
    """Return True if calls came to their end, and none of them computed anything."""
    found = False
    for play in (play for result in results for play in result.plays if play.worked and is_plain(play.expectation.request)):
        given = [each.values.astype(np.float64) for each in arrays_in(play.expectation.request.inputs)]
        for output in outputs_of(play):
            found = True
            if not is_made_of(given, output):
                return False
    return found


def is_plain(request: Playable) -> bool:
    """Return True if a request makes nothing but calls: other steps write into inputs and outputs."""
    return not isinstance(request, LayerStory) or all(step.plain for step in request.steps)


def outputs_of(play: Played) -> Iterator[Array]:
    """Yield the floating-point numbers that a submission gave back: outputs, and gradients that are written by hand."""
    for place in play.expectation.places:
        value = play.observation.values.get(place)
        if isinstance(value, Array) and value.dtype in UNIT_ROUNDOFF and value.values.size and is_output(place, play):
            yield value


def is_output(place: Place, play: Played) -> bool:
    by_hand = play.expectation.request.probe == FORWARD_BACKWARD
    return place.template in OUTPUTS or (place.learnt is not None and by_hand)


def is_made_of(given: Sequence[np.ndarray], output: Array) -> bool:
    """Return True if an output is one of the given arrays, maybe times and plus others of them, or one number everywhere."""
    numbers = output.values.astype(np.float64)
    unit = ROUNDINGS * max(UNIT_ROUNDOFF[output.dtype], UNIT_ROUNDOFF["float32"])
    inputs = [each.reshape(numbers.shape) for each in given if each.size == numbers.size]
    terms = [np.zeros(()), *(way for each in given for way in broadcast(each, numbers.shape))]
    plain = PLAIN if numbers.size == 1 else numbers.flat[:1]
    factors = (1.0, *terms[1:])
    made = (one * factor + term for factor in factors for one in inputs for term in terms)
    with np.errstate(all="ignore"):
        return any(near(numbers, np.broadcast_to(each, numbers.shape), unit) for each in chain(plain, terms, made))


def near(one: np.ndarray, other: np.ndarray, unit: float) -> bool:
    """Return True if two arrays are equal up to rounding; NaN equals NaN."""
    largest = np.abs(other[np.isfinite(other)]).max(initial=0.0)
    return bool(np.isclose(one, other, rtol=unit, atol=unit * largest, equal_nan=True).all())


def broadcast(values: np.ndarray, shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Yield an array in a shape that it spreads over: from the last axis on, and from the channels on."""
    ways = [values, values.reshape(-1, *(1,) * (len(shape) - 2))] if values.ndim == 1 and len(shape) > 2 else [values]
    yield from (np.broadcast_to(way, shape) for way in ways if spreads(way.shape, shape))


def spreads(some: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return True if an array of the one shape can be broadcast to the other."""
    return len(some) <= len(shape) and all(size in (1, whole) for size, whole in zip(reversed(some), reversed(shape), strict=False))
