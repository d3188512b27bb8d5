"""Observation against a known mistake: whether it is what the mistake leads to, exactly or at a glance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from normgrade.compare.differences import allowed, by_chance
from normgrade.language.places import Absent, Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.observation import Array, Observation, Value

FAR, FAR_REL = 1000.0, 1e-3  # how many times the allowance, or which fraction of itself, a number may be off and still be near


def agrees(observation: Observation, expectation: Expectation, native: Observation) -> bool:
    """Whether an observation is what a mistake leads to, in float64 or in a native play of it. Errors agree in type and step.

    More lenient than `differences`: names and shapes are no part of a mistake, and a number that the mistake leaves undetermined,
    since it is not finite or its spread is not, agrees with any.
    """
    return stops_alike(observation, expectation) and all(
        agrees_at(observation.values.get(place), expected, native.values.get(place)) for place, expected in expectation.places.items()
    )


def agrees_at(actual: Value, expected: Expected, native: Value) -> bool:
    """The same at one place: `actual` is what came, `expected` and `native` are what the mistake gives, in float64 and natively."""
    value = expected.value
    if isinstance(value, str | Absent):
        return actual is not None
    if not isinstance(value, Array):
        return any(type(actual) is type(mine) and actual == mine for mine in (value, native))
    if not isinstance(actual, Array) or actual.dtype != expected.dtype or actual.values.size != value.values.size:
        return False
    permitted, got = allowed(expected).ravel(), flat(actual)
    with np.errstate(all="ignore"):
        fits = ~np.isfinite(permitted) | (np.abs(got - flat(value)) <= permitted)
        if not fits.all() and isinstance(native, Array) and native.values.size == got.size:
            own = flat(native)
            fits |= (np.abs(got - own) <= permitted) | (got == own) | (np.isnan(got) & np.isnan(own))
    return bool(fits.all())


def undetermined(expectation: Expectation) -> int:
    """How many numbers of an expectation are not finite, or have a spread that is not."""
    arrays = [place for place in expectation.places.values() if isinstance(place.value, Array)]
    return sum(int((~np.isfinite(allowed(place))).sum()) for place in arrays)


def near(observation: Observation, glimpse: Observation, expectation: Expectation, whole: bool = True) -> bool:
    """At a glance: whether nothing observed is far from one play of a mistake. `expectation`, the reference's, gives the scale.

    A glimpse that is not `whole` ends before the observation does.
    """
    return (not whole or stops_alike(observation, glimpse)) and all(
        near_at(observation.values[place], value, expectation.places.get(Place.of(place)))
        if place in observation.values
        else observation.error is not None
        for place, value in glimpse.values.items()
    )


def near_at(actual: Value, value: Value, right: Expected | None) -> bool:
    """The same at one place: `actual` is what came, `value` what the mistake gives, `right` the expectation of the reference."""
    if not isinstance(value, Array):
        return True
    if not isinstance(actual, Array) or actual.values.size != value.values.size:
        return False
    with np.errstate(all="ignore"):
        margin = FAR_REL * np.abs(flat(value))
        if right is not None and isinstance(right.value, Array) and right.value.values.size == value.values.size:
            exact = replace(right, error=0.0)  # chance, unlike rounding, does not add up to a thousand times itself
            margin = margin + FAR * allowed(exact).ravel() + 2 * by_chance(right)
        return not (np.abs(flat(actual) - flat(value)) > margin).any()


def same_numbers(exact: Observation, native: Observation, expectation: Expectation) -> bool:
    """Whether an implementation that gave these two plays is right in float64, and natively in all but the numbers."""
    return (
        stops_alike(exact, expectation)
        and exact.values.keys() == expectation.places.keys()
        and all(same_numbers_at(exact.values[place], native.values.get(place), expected) for place, expected in expectation.places.items())
    )


def same_numbers_at(exact: Value, native: Value, expected: Expected) -> bool:
    """The same at one place: in float64 the expected value within the tolerance, natively the expected dtype."""
    right = expected.value
    if not isinstance(right, Array):
        return exact == right
    if not isinstance(exact, Array) or exact.values.shape != right.values.shape:
        return False
    if not isinstance(native, Array) or native.dtype != expected.dtype:
        return False
    with np.errstate(all="ignore"):
        return bool((np.abs(exact.values.astype(np.float64) - right.values) <= allowed(expected)).all())


def stops_alike(one: Observation | Expectation, other: Observation | Expectation) -> bool:
    """Whether neither ended in an error, or both did in one of the same type at the same step."""
    ours, theirs = one.error, other.error
    if ours is None or theirs is None:
        return ours is theirs
    return (ours.types[:1], ours.step) == (theirs.types[:1], theirs.step)


def flat(array: Array) -> np.ndarray:
    """All numbers in one dimension, as float64."""
    return np.asarray(array.values, np.float64).ravel()
