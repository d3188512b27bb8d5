"""Observation against expectation: the differences, each with its numbers and what it looks like."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from normgrade.compare.context import Setting
from normgrade.compare.likeness import looks_like, same_but_for_form
from normgrade.language import N_, _, retold
from normgrade.oracle.expectation import UNIT_ROUNDOFF, Expectation, Expected
from normgrade.report.place_names import place_in_words
from normgrade.report.report import ArrayDifference, Difference, Numbers, ValueDifference
from normgrade.worker.observation import HALF, Array, Foreign, Observation, Value

K = 64  # how many times the spread a number may be off; measured in tests/benchmarks/tolerance.py
FAR, FAR_REL = 1000.0, 1e-3  # how many times the allowance, or which fraction of itself, a number may be off and still be near
STANDARD_ERRORS = 5  # by how many the difference of two estimates from random draws may be off
K_HALF = 4  # the same for the last rounding to float16 or bfloat16
TENSOR = N_("a {dtype} tensor of shape {shape}")
FOREIGN = (  # how what could not travel is described
    N_("a huge int"), N_("a {dtype} tensor of shape {shape}, too large to look at"),
    N_("a {dtype} array of shape {shape}, too large to look at"), N_("a {dtype} tensor of shape {shape}, {layout} on {device}"), TENSOR,
    N_("a {type}, not a plain torch.Tensor"), N_("an {type}, not a plain torch.Tensor"), N_("a {type}"), N_("an {type}"),
)  # fmt: skip
MISSING = (  # what stands where there is nothing
    N_("nothing"), N_("no {name}; the layer has no parameters and no buffers"), N_("no {name}; the layer has {others}"),
)  # fmt: skip
SMALLEST_SUBNORMAL = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}


def differences(observation: Observation, expectation: Expectation, setting: Setting | None = None) -> tuple[Difference, ...]:
    """Every place that disagrees, in the order of the story. Places that an error kept from being reached are not differences.

    With a setting, each comes with a few words on what it looks like.
    """
    found = (
        difference(place, observation.values.get(place, "nothing"), expected, setting)
        for place, expected in expectation.places.items()
        if place in observation.values or observation.error is None
    )
    return tuple(filter(None, found))


def agrees(observation: Observation, expectation: Expectation, native: Observation) -> bool:
    """Whether an observation is what a mistake leads to, in float64 or in a native play of it. Errors agree in type and step.

    More lenient than `differences`: names and shapes are no part of a mistake, and a number that the mistake leaves undetermined,
    since it is not finite or its spread is not, agrees with any.
    """
    return stops_alike(observation, expectation) and all(
        agrees_at(observation.values.get(place), expected, native.values.get(place)) for place, expected in expectation.places.items()
    )


def agrees_at(actual: Value, expected: Expected, native: Value) -> bool:
    value = expected.value
    if isinstance(value, str):
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
        near_at(observation.values[place], value, expectation.places.get(place))
        if place in observation.values
        else observation.error is not None
        for place, value in glimpse.values.items()
    )


def near_at(actual: Value, value: Value, right: Expected | None) -> bool:
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
    if not stops_alike(exact, expectation) or exact.values.keys() != expectation.places.keys():
        return False
    for place, expected in expectation.places.items():
        mine, theirs, own = exact.values[place], expected.value, native.values.get(place)
        if not isinstance(theirs, Array):
            if mine != theirs:
                return False
            continue
        if not isinstance(mine, Array) or mine.values.shape != theirs.values.shape:
            return False
        if not isinstance(own, Array) or own.dtype != expected.dtype:
            return False
        with np.errstate(all="ignore"):
            if not (np.abs(mine.values.astype(np.float64) - theirs.values) <= allowed(expected)).all():
                return False
    return True


def stops_alike(one: Observation | Expectation, other: Observation | Expectation) -> bool:
    """Whether neither ended in an error, or both did in one of the same type at the same step."""
    ours, theirs = one.error, other.error
    if ours is None or theirs is None:
        return ours is theirs
    return (ours.types[:1], ours.step) == (theirs.types[:1], theirs.step)


def flat(array: Array) -> np.ndarray:
    return np.asarray(array.values, np.float64).ravel()


def difference(place: str, actual: Value, expected: Expected, setting: Setting | None = None) -> Difference | None:
    """What differs at one place, or None; in a setting, with words on what it looks like."""
    value = expected.value
    if not isinstance(value, Array):
        same = type(actual) is type(value) and actual == value
        return None if same else described(place, actual, expected)
    if not isinstance(actual, Array) or actual.values.shape != value.values.shape or actual.dtype != expected.dtype:
        return described(place, actual, expected, setting is not None)
    return numbers(place, actual, expected, setting)


def numbers(place: str, actual: Array, expected: Expected, setting: Setting | None) -> ArrayDifference | None:
    assert isinstance(expected.value, Array)
    right, got, permitted = expected.value.values, actual.values, allowed(expected)
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(np.float64) - right)
        error = np.where(np.isnan(error), np.inf, error)
        wrong = error > permitted
        if not wrong.any():
            return None
        severity = np.where(wrong, error / permitted, -1.0)
        relative = error / np.abs(right)
    at = np.unravel_index(int(np.argmax(severity)), severity.shape)
    return ArrayDifference(
        place=place,
        dtype=actual.dtype,
        shape=actual.values.shape,
        mismatched=int(wrong.sum()),
        total=wrong.size,
        max_abs=float(error.max()),
        max_rel=float(relative[wrong].max()),
        allowed=float(permitted[at]),
        at=tuple(int(index) for index in at),
        expected=right[at].item(),
        actual=got[at].item(),
        looks_like=None if setting is None else looks_like(right, got, permitted, setting, place),
        numbers=Numbers(right, got, permitted),
    )


def allowed(expected: Expected) -> np.ndarray:
    """How far each number may be off: K · (spread + u·|y| + smallest subnormal), and in half precision one more rounding or two.

    Of an estimate from random draws, five standard errors of the difference between two of them more.
    """
    assert isinstance(expected.value, Array)
    right, dtype = np.abs(expected.value.values).astype(np.float64), expected.dtype
    if expected.spread is None or dtype is None:
        return np.zeros_like(right)
    limit = K * (expected.spread + UNIT_ROUNDOFF["float32"] * right + SMALLEST_SUBNORMAL[dtype])
    limit = limit + by_chance(expected)
    if dtype in HALF:
        limit = limit + K_HALF * (UNIT_ROUNDOFF[dtype] * right + (0.0 if expected.slack is None else expected.slack))
    return np.asarray(limit)


def by_chance(expected: Expected) -> float:
    """How far two estimates from random draws may be apart."""
    return STANDARD_ERRORS * 2**0.5 * expected.error


def described(place: str, actual: Value, expected: Expected, worded: bool = False) -> ValueDifference:
    """A difference in kind: another type, shape or dtype, or nothing at all."""
    shape = expected.value.values.shape if isinstance(expected.value, Array) else None
    likeness = None
    if worded and isinstance(actual, Array) and isinstance(expected.value, Array):
        likeness = same_but_for_form(expected.value.values, actual.values, allowed(expected), actual.dtype == expected.dtype)
    return ValueDifference(
        place=place,
        dtype=expected.dtype,
        shape=shape,
        expected=words(expected.value, expected.dtype),
        actual=words(actual),
        looks_like=likeness,
    )


def words(value: Value, dtype: str | None = None) -> bool | int | float | str | None:
    """A value in words; scalars are their own."""
    match value:
        case Array(values, own):
            return _(TENSOR, dtype=dtype or own, shape=values.shape)
        case Foreign():
            return retold(value.description, FOREIGN)
        case str():
            return retold(value, MISSING)
        case _:
            return value


def unsound(expectation: Expectation) -> str | None:
    """Why nothing can be compared with this expectation; None where all is well. The suite is to blame, never the submission."""
    for place, expected in expectation.places.items():
        if isinstance(expected.value, Foreign):
            value = retold(expected.value.description, FOREIGN)
            return _("the reference returns {value} at {place}", value=value, place=place_in_words(place))
        if isinstance(expected.value, Array) and expected.value.values.dtype.kind == "f" and not np.isfinite(allowed(expected)).all():
            return _(
                "the reference is not finite at {place}, in float64 or in Monte Carlo arithmetic, so nothing can be compared with it",
                place=place_in_words(place),
            )
    return None
