"""The differences between an observation and its expectation, each with its numbers or in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from normgrade.compare.value_words import Words, in_words
from normgrade.language import _
from normgrade.language.places import NO_WORDS, Place, place_in_words
from normgrade.oracle.expected import UNIT_ROUNDOFF, Expectation, Expected
from normgrade.oracle.inputs import holds_non_finite
from normgrade.report.report import ArrayDifference, Difference, Numbers, ValueDifference
from normgrade.worker.wire.observation import HALF, Array, Foreign, Observation, Value

STEPS = 8  # in a factor of two, of how badly numbers are off: of those that are off alike, the first is shown on every machine
K = 64  # how many times the spread a number may be off; measured in tests/benchmarks/tolerance.py
STANDARD_ERRORS = 5  # by how many two estimates from random draws may differ
K_HALF = 4  # how many times the last rounding to float16 or bfloat16 a number may be off
NONE = np.zeros(0)  # an empty array in float64
SMALLEST_SUBNORMAL = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}


def differences(observation: Observation, expectation: Expectation) -> tuple[Difference, ...]:
    """Return a difference for every place that disagrees, in story order. Places that an error kept from being reached do not count."""
    right = right_places(observation, expectation)
    found = (compared(place, observation, expected) for place, expected in expectation.places.items() if place not in right)
    return tuple(filter(None, found))


def right_places(observation: Observation, expectation: Expectation) -> Collection[Place]:
    """Return the places whose arrays are right, with all numbers compared at once: twenty times as fast as place by place.

    Places with numbers that are not finite are missing here, though they may be right.
    """
    arrays = arrays_of(expectation)
    seen = [observation.values.get(place) for place in arrays.places]
    alike = [of_one_kind(got, expected) for got, expected in zip(seen, arrays.expected, strict=True)]
    values = (got if is_alike else expected.value for got, is_alike, expected in zip(seen, alike, arrays.expected, strict=True))
    with np.errstate(all="ignore"):
        error = np.abs(np.concatenate([NONE, *(value.values.ravel() for value in values)]) - arrays.right)  # type: ignore[union-attr]
        off = np.concatenate([[0], np.cumsum(~(error <= arrays.permitted))])
    wrong = off[arrays.ends[1:]] > off[arrays.ends[:-1]]
    return {place for place, is_alike, is_wrong in zip(arrays.places, alike, wrong, strict=True) if is_alike and not is_wrong}


def of_one_kind(got: Value | None, expected: Expected) -> bool:
    """Return True if a value is an array whose numbers can be compared with the expected ones: dtype and shape are the same."""
    return isinstance(got, Array) and got.dtype == expected.dtype and got.values.shape == expected.value.values.shape  # type: ignore[union-attr]


class Arrays(NamedTuple):
    """The places with arrays, their numbers one after the other, and how far each may be off. Numbers that are not finite are always off.

    The numbers of place `i` are those from `ends[i]` to `ends[i + 1]`.
    """

    places: Sequence[Place]
    expected: Sequence[Expected]
    right: np.ndarray
    permitted: np.ndarray
    ends: np.ndarray


@lru_cache(maxsize=512)  # by identity, as below
def arrays_of(expectation: Expectation) -> Arrays:
    held = {place: expected for place, expected in expectation.places.items() if isinstance(expected.value, Array)}
    numbers = [expected.value.values.ravel() for expected in held.values()]  # type: ignore[union-attr]
    permitted = [allowed(expected).ravel() for expected in held.values()]
    ends = np.cumsum([0, *(each.size for each in numbers)])
    right, limits = np.concatenate([NONE, *numbers]), np.concatenate([NONE, *permitted])
    return Arrays([*held], [*held.values()], right, np.where(np.isfinite(right), limits, np.nan), ends)


def compared(place: Place, observation: Observation, expected: Expected) -> Difference | None:
    """Return the difference at one place; None if there is none, or if an error came before the place."""
    if place in observation.values:
        return difference(place, observation.values[place], expected)
    return different_in_kind(place, _("nothing"), expected) if observation.error is None else None


def difference(place: Place, actual: Value, expected: Expected) -> Difference | None:
    """Return the difference between two values at one place, or None."""
    value = expected.value
    if not isinstance(value, Array):
        same = type(actual) is type(value) and actual == value
        return None if same else described(place, actual, expected)
    if not isinstance(actual, Array) or actual.values.shape != value.values.shape or actual.dtype != expected.dtype:
        return described(place, actual, expected)
    return numbers(place, actual, expected)


def numbers(place: Place, actual: Array, expected: Expected) -> ArrayDifference | None:
    assert isinstance(expected.value, Array)
    right, got, permitted = expected.value.values, actual.values, allowed(expected)
    permitted, error = at_most(right, permitted), errors(got, right)
    with np.errstate(all="ignore"):
        wrong = error > permitted
        if not wrong.any():
            return None
        severity = np.where(wrong, np.rint(STEPS * np.log2(error / permitted)), -np.inf)
        relative = np.where(np.isfinite(error), error / np.abs(right), np.inf)
    at = np.unravel_index(int(np.argmax(severity)), severity.shape)
    return ArrayDifference(
        place=place,
        dtype=actual.dtype,
        shape=actual.values.shape,
        mismatched=int(wrong.sum()),
        total=wrong.size,
        max_abs=float(error[wrong].max()),
        max_rel=float(relative[wrong].max()),
        allowed=float(permitted[at]),
        at=tuple(int(index) for index in at),
        expected=right[at].item(),
        actual=got[at].item(),
        numbers=Numbers(right, got, permitted),
    )


def errors(got: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return how far each number is off: infinitely if only one side is finite; not at all if neither is, be it NaN or Inf."""
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(np.float64) - right)
        return np.where(np.isfinite(right) | np.isfinite(got), np.where(np.isnan(off), np.inf, off), 0.0)


def at_most(right: np.ndarray, permitted: np.ndarray) -> np.ndarray:
    """Return how far each number may be off; 0 for one that is not finite, whose error is 0 or infinite."""
    return np.where(np.isfinite(right), permitted, 0.0)


@lru_cache(maxsize=2**14)  # by identity: an expectation is compared again and again, and one exercise has up to 5000 places
def allowed(expected: Expected) -> np.ndarray:
    """Return how far each number may be off, as a read-only array.

    It is K · (spread + u·|y| + smallest subnormal). In half precision, K_HALF times the last rounding and K_HALF times the slack are added.
    If float64 is due, u is that of float64, and the spread is scaled by the same ratio. For an estimate from random draws, five standard
    errors of the difference between two such estimates are added.
    """
    limit: np.ndarray = np.asarray(limit_of(expected))
    limit.flags.writeable = False
    return limit


def limit_of(expected: Expected) -> Any:  # an array, or a NumPy scalar if it has no dimensions
    assert isinstance(expected.value, Array)
    right, dtype = np.abs(expected.value.values).astype(np.float64), expected.dtype
    if expected.spread is None or dtype is None:
        return np.zeros_like(right)
    unit, tiny = UNIT_ROUNDOFF[expected.unit], SMALLEST_SUBNORMAL[dtype if dtype in HALF else expected.unit]
    limit = K * (expected.spread * (unit / UNIT_ROUNDOFF["float32"]) + unit * right + tiny)
    limit = limit + by_chance(expected)
    rounding = UNIT_ROUNDOFF[dtype] * right if dtype in HALF else 0.0
    return limit + K_HALF * (rounding + (0.0 if expected.slack is None else expected.slack))


def by_chance(expected: Expected) -> float:
    """Return how far two estimates from random draws may be apart."""
    return STANDARD_ERRORS * 2**0.5 * expected.error


def described(place: Place, actual: Value, expected: Expected) -> ValueDifference:
    """Return the difference in kind between two values: another type, shape or dtype."""
    return different_in_kind(place, in_words(actual), expected)


def different_in_kind(place: Place, actual: Words, expected: Expected) -> ValueDifference:
    """Return a difference without numbers; `actual` is in words."""
    shape = expected.value.values.shape if isinstance(expected.value, Array) else None
    return ValueDifference(
        place=place,
        dtype=expected.dtype,
        shape=shape,
        expected=in_words(expected.value, expected.dtype),
        actual=actual,
    )


def unsound(expectation: Expectation, words: Mapping[str, str] = NO_WORDS) -> str | None:
    """Return why nothing can be compared with this expectation, or None if it is sound. The suite is to blame, never the submission.

    `words` are the exercise's own words for its places.
    """
    if expectation.sound:
        return None
    bounded = np.isfinite(arrays_of(expectation).permitted).all()
    spoilt = not bounded and holds_non_finite(expectation.request.inputs)
    for place, expected in expectation.places.items():
        if isinstance(expected.value, Foreign):
            value = in_words(expected.value)
            return _(
                "the reference returns {value} at {place}, which cannot be compared: "
                "return tensors, NumPy arrays, numbers, bools, texts or None, each at its own place",
                value=value,
                place=place_in_words(place, words),
            )
        if not bounded and isinstance(expected.value, Array) and expected.value.values.dtype.kind == "f" and is_open(expected, spoilt):
            return why_open(expected.value.values, place_in_words(place, words))
    return None


def why_open(values: np.ndarray, place: str) -> str:
    """Return why nothing can be compared with the reference's values at a place, and the remedy."""
    if np.isfinite(values).all():
        return _(
            "the reference is not finite at {place} if every operation is rounded, so results cannot be compared with it: "
            "make the reference more stable, or play it on a less extreme input",
            place=place,
        )
    return _(
        "the reference gives NaN or infinity at {place}, so results cannot be compared with it: "
        "play it on an input for which it is finite, or spoil less than half of an input's numbers if NaN is intended",
        place=place,
    )


def is_open(expected: Expected, spoilt: bool) -> bool:
    """Return True if a number or its tolerance is not finite. If the input was `spoilt`, zeros and such numbers do not count."""
    assert isinstance(expected.value, Array)
    value, bounded = expected.value.values, np.isfinite(allowed(expected))
    return not (bounded | ~np.isfinite(value) | (value == 0) if spoilt else bounded).all()
