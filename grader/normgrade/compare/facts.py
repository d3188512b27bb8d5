"""The facts of a play: the form of every value, its numbers, and how the play ended.

A play of n places has 2n + 1 facts: fact 2i is the form of place i, fact 2i + 1 its numbers, and the last one is the ending. The numbers
of all places stand one after the other in one vector. A large array is represented by a random sample of its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from normgrade.compare.differences import K_HALF, K, allowed, at_most, errors
from normgrade.language.places import Absent, Place
from normgrade.oracle.draws import generator
from normgrade.oracle.expected import UNIT_ROUNDOFF, Expectation, Expected
from normgrade.worker.wire.observation import HALF, Array, Error, Foreign, Observation, Value

MOST_NUMBERS = 64  # in the sample of one array
GOOD_END = ""  # nothing was raised
REFUSED, SILENT = "refused", "silent"  # the endings of a play that should be refused: it is, or it raises nothing
ABSENT = ("None", "absent")  # the forms of a missing value
OTHER_TEXT = "another text"


@dataclass(frozen=True, eq=False)
class Right:
    """The reference's results in one play, as facts: the forms of its places, and vectors over all their numbers.

    - `everything` and `limits`: all numbers of all places, not only the samples, and how far each may be off. `firsts` has the index of
      the first number of each place, and one entry more, for the end of the last.
    - `sampled`: the indices of the samples in `everything`. `starts` has the index of each place's first number in `sampled`, and one
      entry more.
    - `numbers` and `allowed`: the sampled numbers, and how far each may be off.
    - `units`: the unit roundoff of each sampled number, in half precision that of its dtype, else that of float32. `factors`: how many
      such roundings are always allowed.
    """

    expectation: Expectation
    refusal: tuple[str, ...] | None
    forms: tuple[str, ...]
    everything: np.ndarray
    limits: np.ndarray
    firsts: tuple[int, ...]
    sampled: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    allowed: np.ndarray
    units: np.ndarray
    factors: np.ndarray

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self.expectation.places)

    @property
    def ending(self) -> str:
        return GOOD_END if self.refusal is None else REFUSED

    @property
    def size(self) -> int:
        """The number of facts."""
        return 2 * len(self.forms) + 1


@lru_cache(maxsize=2048)  # by identity: one expectation is compared with many submissions
def right_of(expectation: Expectation, refusal: tuple[str, ...] | None) -> Right:
    """Return the expectation as facts, made once."""
    places = [*expectation.places.values()]
    sizes = [each.value.values.size if isinstance(each.value, Array) else 0 for each in places]
    firsts, samples = np.cumsum([0, *sizes]), [chosen(size) for size in sizes]
    sampled = joined([first + sample for first, sample in zip(firsts, samples, strict=False)]).astype(np.int64)
    everything = joined([each.value.values.astype(np.float64).ravel() for each in places if isinstance(each.value, Array)])
    permitted = joined([allowed(each).ravel() for each in places if isinstance(each.value, Array)])
    units = joined([np.full(len(sample), UNIT_ROUNDOFF[rounding(each)]) for sample, each in zip(samples, places, strict=True)])
    return Right(
        expectation,
        refusal,
        forms=tuple(map(form_expected, places)),
        everything=everything,
        limits=at_most(everything, permitted),
        firsts=tuple(firsts.tolist()),
        sampled=sampled,
        starts=np.cumsum([0, *map(len, samples)]),
        numbers=everything[sampled],
        allowed=permitted[sampled],
        units=units,
        factors=np.where(units > UNIT_ROUNDOFF["float32"], float(K_HALF), float(K)),
    )


@dataclass(frozen=True, eq=False)
class Facts:
    """One observation of a play. A form is None if the place was not reached; numbers that cannot be compared are NaN.

    `wrong` marks the facts that differ from the reference's, and `reached` those that were observed. `close` is true if no number that was
    reached is off by more than half of its allowed error.
    """

    forms: tuple[str | None, ...]
    numbers: np.ndarray
    ending: str
    wrong: np.ndarray
    reached: np.ndarray
    close: bool


def facts_of(observation: Observation, right: Right) -> Facts:
    """Return an observation as the facts of its play. Every number is compared with the reference's, not only the sample."""
    got = np.full(len(right.everything), np.nan)
    forms: list[str | None] = []
    comparable: list[int] = []  # the places whose numbers can be compared
    wrong, reached = np.zeros(right.size, bool), np.zeros(right.size, bool)
    for index, (place, expected) in enumerate(right.expectation.places.items()):
        if place not in observation.values and observation.error is not None:
            forms.append(None)
            continue
        value = observation.values.get(place)
        form = right.forms[index]
        forms.append(form if has_form(value, expected) else form_of(value, form))
        wrong[2 * index] = forms[-1] != form
        reached[2 * index] = True
        if not isinstance(expected.value, Array):
            continue
        reached[2 * index + 1] = True
        if not isinstance(value, Array) or value.values.size != expected.value.values.size:
            wrong[2 * index + 1] = True
            continue
        comparable.append(index)
        got[right.firsts[index] : right.firsts[index + 1]] = value.values.ravel()
    error = errors(got, right.everything)
    wrong[[2 * index + 1 for index in comparable]] = anywhere(error > right.limits, right)[comparable]
    close = not (wrong[1::2].any() or anywhere(error > right.limits / 2, right)[comparable].any())
    ending = ending_of(observation.error, right)
    wrong[-1], reached[-1] = ending != right.ending, True
    return Facts(tuple(forms), got[right.sampled], ending, wrong, reached, close)


def anywhere(numbers: np.ndarray, right: Right) -> np.ndarray:
    """Return for each place if any of its numbers is flagged; `numbers` has the flags of all numbers."""
    firsts = np.array(right.firsts)
    found, filled = np.zeros(len(firsts) - 1, bool), np.flatnonzero(np.diff(firsts))
    if len(filled):
        found[filled] = np.logical_or.reduceat(numbers, firsts[filled])
    return found


def ending_of(error: Error | None, right: Right) -> str:
    """Return the ending of a play as a text; two plays that end alike have the same one."""
    if right.refusal is None:
        return GOOD_END if error is None else f"{''.join(error.types[:1])} at {error.step}"
    if error is None:
        return SILENT
    due = right.expectation.error
    refused = any(name in error.types for name in right.refusal) and (due is None or error.step == due.step)
    return REFUSED if refused else f"{''.join(error.types[:1])} at {error.step}"


def form_expected(expected: Expected) -> str:
    value = expected.value
    return form_of(value) if not isinstance(value, Array) else f"{expected.dtype} {tuple(value.values.shape)}"


def has_form(value: Value, expected: Expected) -> bool:
    """Return True if a value is an array of the expected form. Nearly every value is; this is faster than a comparison of texts."""
    if not (isinstance(value, Array) and isinstance(expected.value, Array)):
        return False
    return value.dtype == expected.dtype and value.values.shape == expected.value.values.shape


def form_of(value: Value, right: str = "") -> str:
    """Return everything about a value except for its numbers. All texts other than the `right` one are alike: no mistake is about names."""
    match value:
        case Array(values, dtype) if right in ABSENT:  # no array is due: the first number is part of the form
            return f"{dtype} {values.ravel()[:1].tolist()}"
        case Array(values, dtype):
            return f"{dtype} {tuple(values.shape)}"
        case Foreign(reason):
            return f"foreign: {reason}"
        case Absent():
            return "absent"
        case str() if right and right not in ABSENT and repr(value) != right:
            return OTHER_TEXT
        case _:
            return repr(value)


def rounding(expected: Expected) -> str:
    return expected.dtype if expected.dtype in HALF else "float32"


@lru_cache(maxsize=1024)
def chosen(size: int) -> np.ndarray:
    """Return the indices of the sample of an array of this size; they are the same in every play."""
    if size <= MOST_NUMBERS:
        return np.arange(size)
    return np.sort(generator("sample", size).choice(size, MOST_NUMBERS, replace=False))


def joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)
