"""What can be told apart in a play, fact by fact: the form of every value, its numbers, and how the play ended.

A play of n places has 2n + 1 facts: place i has the form 2i and the numbers 2i + 1, and the last one is the ending. The numbers of all
places stand one after the other in one vector; of a large array, an evenly drawn sample stands for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from normgrade.compare.differences import K_HALF, K, allowed, at_most, errors
from normgrade.language.places import Absent, Place
from normgrade.oracle.draws import generator
from normgrade.oracle.expectation import UNIT_ROUNDOFF
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.observation import HALF, Array, Error, Foreign, Observation, Value

MOST_NUMBERS = 64  # of one array
GOOD_END = ""  # nothing was raised
REFUSED, SILENT = "refused", "silent"  # how a play ends that should be refused
ABSENT = ("None", "absent")  # forms of nothing
OTHER_TEXT = "another text"


@dataclass(frozen=True, eq=False)
class Right:
    """What the reference gives in one play, as facts: the forms of its places, and vectors over all their numbers.

    - `everything` and `limits`: all numbers of all places, not the samples alone, and how far each may be off. `firsts` says where each
      place begins there, and has one entry more, for the end of the last.
    - `sampled`: which of all numbers stand for them, and `starts` where those of each place begin, with one entry more.
    - `numbers` and `allowed`: those numbers, and how far each may be off.
    - `units`: the rounding of each that is beyond dispute, of float32 and in half precision of its dtype; `factors`: how many of them.
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
        """How many facts there are."""
        return 2 * len(self.forms) + 1


@lru_cache(maxsize=2048)  # by identity: what is expected is compared with many submissions
def right_of(expectation: Expectation, refusal: tuple[str, ...] | None) -> Right:
    """The expectation as facts, made once."""
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
    """One observation of a play. A form is None where the place was not reached; numbers that cannot be compared are NaN.

    `wrong` says of every fact whether the reference has another one, and `reached` whether it was observed. `close` says of all numbers
    that were reached whether none is off by more than half of what it may be.
    """

    forms: tuple[str | None, ...]
    numbers: np.ndarray
    ending: str
    wrong: np.ndarray
    reached: np.ndarray
    close: bool


def facts_of(observation: Observation, right: Right) -> Facts:
    """An observation as the facts of its play. Every number is compared with the reference's, not the sample alone."""
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
    """Of each place, whether something holds of any of its `numbers`, given of which of all."""
    firsts = np.array(right.firsts)
    found, filled = np.zeros(len(firsts) - 1, bool), np.flatnonzero(np.diff(firsts))
    if len(filled):
        found[filled] = np.logical_or.reduceat(numbers, firsts[filled])
    return found


def ending_of(error: Error | None, right: Right) -> str:
    """How a play ended, in a word: two plays that end alike have the same one."""
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
    """Whether a value is an array of the form that is expected, as nearly every one is: sooner told than put in words."""
    if not (isinstance(value, Array) and isinstance(expected.value, Array)):
        return False
    return value.dtype == expected.dtype and value.values.shape == expected.value.values.shape


def form_of(value: Value, right: str = "") -> str:
    """All of a value but its numbers. Any two texts are alike where neither is the `right` one: names are nobody's mistake."""
    match value:
        case Array(values, dtype) if right in ABSENT:  # where a number is as good as a word
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
    """Which numbers of an array of this size stand for all of them: the same ones in every play."""
    if size <= MOST_NUMBERS:
        return np.arange(size)
    return np.sort(generator("sample", size).choice(size, MOST_NUMBERS, replace=False))


def joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)
