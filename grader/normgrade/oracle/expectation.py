"""The computation of an expectation: plays in float64, and the movement of each number in float32 arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import ModuleType

import numpy as np

from normgrade.course.tensor_library import Library
from normgrade.language.places import Place
from normgrade.oracle.expected import UNIT_ROUNDOFF, Expectation, Expected
from normgrade.oracle.half_precision import with_half_precision
from normgrade.oracle.inputs import holds_non_finite, perturbed, widened
from normgrade.oracle.monte_carlo import PLAYS, movement, random_rounding
from normgrade.oracle.plays import play_exactly, play_natively
from normgrade.worker.wire.observation import Array, Observation, Value
from normgrade.worker.wire.requests import FORWARD_BACKWARD, LayerStory, TypedRequest


def expect(
    implementation: ModuleType,
    request: TypedRequest,
    probes: ModuleType | None = None,
    plays: int = PLAYS,
    written_with: Library = Library.TORCH,
) -> Expectation:
    """Play the request natively, in float64, and `plays` times in Monte Carlo arithmetic. Return the expectation."""
    unit = UNIT_ROUNDOFF["float32"]
    native = play_natively(implementation, request, probes, written_with=written_with)
    wide, exactly = widened(request), partial(play_exactly, implementation, probes=probes, written_with=written_with)
    true = exactly(wide)
    seeds = range(plays if true.values else 0)  # a play that raises at once has no numbers
    moved = [exactly(perturbed(wide, unit, seed), arithmetic=random_rounding(written_with, unit, seed)) for seed in seeds]
    places = {Place.of(place): expected(value, native.values.get(place), place, moved) for place, value in true.values.items()}
    if holds_non_finite(request.inputs):
        places = {name: with_open_zeros(place) for name, place in places.items()}
    if isinstance(request, LayerStory) and request.layer != FORWARD_BACKWARD:  # a backward pass by hand is all computed in float32
        places = with_half_precision(places, request, implementation, probes, plays)
    return Expectation(request, places, native.error or true.error)


def expected(true: Value, native: Value | None, place: str, moved: Sequence[Observation]) -> Expected:
    dtype = native.dtype if isinstance(native, Array) else None
    if not (isinstance(true, Array) and true.values.dtype.kind == "f"):
        return Expected(true, dtype)
    return Expected(true, dtype, movement(true, place, moved), error=true.error)


def with_open_zeros(place: Expected) -> Expected:
    """Give every 0 an infinite spread: in another order of operations, a number divided by infinity is not 0 but NaN."""
    if place.spread is None or not isinstance(place.value, Array):
        return place
    return replace(place, spread=np.where(place.value.values == 0, np.inf, place.spread))


def with_spread_of(expectation: Expectation, other: Expectation) -> Expectation:
    """Return the expectation with the larger spread and the larger slack of the two at every number."""

    def widened(place: Expected, theirs: Expected | None) -> Expected:
        if theirs is None:
            return place
        return replace(place, spread=larger(place.spread, theirs.spread), slack=larger(place.slack, theirs.slack))

    return replace(expectation, places={name: widened(place, other.places.get(name)) for name, place in expectation.places.items()})


def larger(own: np.ndarray | None, theirs: np.ndarray | None) -> np.ndarray | None:
    """Return the larger movement of the two at every number, or `own` if `theirs` is missing or has another shape."""
    if own is None or theirs is None or theirs.shape != own.shape:
        return own
    widened: np.ndarray = np.fmax(own, theirs)
    return widened
