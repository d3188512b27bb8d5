"""What can be told apart in a play, fact by fact: the form of every value, its numbers, and how the play ended.

A play of n places has 2n + 1 facts: place i has the form 2i and the numbers 2i + 1, and the last one is the ending. The numbers of all
places stand one after the other in one vector; of a large array, an evenly drawn sample stands for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

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
    """What the reference gives in one play, as facts: the forms of its places, and vectors over all their numbers."""

    expectation: Expectation
    refusal: tuple[str, ...] | None

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(self.expectation.places)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        return tuple(form_expected(expected) for expected in self.expectation.places.values())

    @cached_property
    def starts(self) -> np.ndarray:
        """Where the numbers of each place begin; one entry more, for the end of the last."""
        sizes = [len(chosen(size_of(expected))) for expected in self.expectation.places.values()]
        return np.cumsum([0, *sizes])

    @cached_property
    def numbers(self) -> np.ndarray:
        return joined([sample(expected.value) for expected in self.arrays])

    @cached_property
    def allowed(self) -> np.ndarray:
        return joined([np.asarray(allowed(expected)).ravel()[chosen(size_of(expected))] for expected in self.arrays])

    @cached_property
    def units(self) -> np.ndarray:
        """The rounding of each number that is beyond dispute: of float32, and in half precision of its dtype."""
        return joined([np.full(len(chosen(size_of(each))), UNIT_ROUNDOFF[rounding(each)]) for each in self.arrays])

    @cached_property
    def factors(self) -> np.ndarray:
        """How many roundings each number may be off."""
        return np.where(self.units > UNIT_ROUNDOFF["float32"], float(K_HALF), float(K))

    @property
    def arrays(self) -> list[Expected]:
        return [expected for expected in self.expectation.places.values() if isinstance(expected.value, Array)]

    @property
    def ending(self) -> str:
        return GOOD_END if self.refusal is None else REFUSED

    @property
    def size(self) -> int:
        """How many facts there are."""
        return 2 * len(self.places) + 1


@lru_cache(maxsize=2048)  # by identity: what is expected is compared with many submissions
def right_of(expectation: Expectation, refusal: tuple[str, ...] | None) -> Right:
    """The expectation as facts, made once."""
    return Right(expectation, refusal)


@dataclass(frozen=True, eq=False)
class Facts:
    """One observation of a play. A form is None where the place was not reached; numbers that cannot be compared are NaN.

    `wrong` says of every fact whether the reference has another one, and `reached` whether it was observed.
    """

    forms: tuple[str | None, ...]
    numbers: np.ndarray
    ending: str
    wrong: np.ndarray
    reached: np.ndarray


def facts_of(observation: Observation, right: Right) -> Facts:
    """An observation as the facts of its play. Every number is compared with the reference's, not the sample alone."""
    numbers = np.full(right.starts[-1], np.nan)
    forms: list[str | None] = []
    wrong, reached = np.zeros(right.size, bool), np.zeros(right.size, bool)
    for index, (place, expected) in enumerate(right.expectation.places.items()):
        if place not in observation.values and observation.error is not None:
            forms.append(None)
            continue
        value = observation.values.get(place)
        forms.append(form_of(value, right.forms[index]))
        wrong[2 * index] = forms[-1] != right.forms[index]
        reached[2 * index] = True
        if not isinstance(expected.value, Array):
            continue
        reached[2 * index + 1] = True
        if not isinstance(value, Array) or value.values.size != expected.value.values.size:
            wrong[2 * index + 1] = True
            continue
        wrong[2 * index + 1] = is_off(value, expected)
        numbers[right.starts[index] : right.starts[index + 1]] = sample(value)
    ending = ending_of(observation.error, right)
    wrong[-1], reached[-1] = ending != right.ending, True
    return Facts(tuple(forms), numbers, ending, wrong, reached)


def is_off(value: Array, expected: Expected) -> bool:
    """Whether any number is further from the expected one than it may be. Both have the same count of numbers."""
    assert isinstance(expected.value, Array)
    right = flat(expected.value)
    return bool((errors(flat(value), right) > at_most(right, allowed(expected).ravel())).any())


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


def size_of(expected: Expected) -> int:
    return expected.value.values.size if isinstance(expected.value, Array) else 0


def rounding(expected: Expected) -> str:
    return expected.dtype if expected.dtype in HALF else "float32"


@lru_cache(maxsize=1024)
def chosen(size: int) -> np.ndarray:
    """Which numbers of an array of this size stand for all of them: the same ones in every play."""
    if size <= MOST_NUMBERS:
        return np.arange(size)
    return np.sort(generator("sample", size).choice(size, MOST_NUMBERS, replace=False))


def sample(value: Value) -> np.ndarray:
    assert isinstance(value, Array)
    return np.asarray(flat(value)[chosen(value.values.size)])


def flat(value: Array) -> np.ndarray:
    """All numbers in one dimension, as float64."""
    return np.asarray(value.values, np.float64).ravel()


def joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)
