"""What a known mistake does to the numbers: an example where it shows, and one where it hides. Both are played, not written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.differences import allowed
from normgrade.course.course import Exercise
from normgrade.course.mistakes import Mistake
from normgrade.grade import Desk
from normgrade.report.report import ArrayDifference, Check, Kind, Numbers, Outcome, SideBySide
from normgrade.suite.run import Result
from normgrade.worker.observation import Array

LEAST = 2  # numbers in an example: one alone says little
KINDS = (Kind.FORMULA, Kind.STATE, Kind.GRADIENT, Kind.STABILITY, Kind.PRECISION, Kind.EDGE)  # the plainest first


@dataclass(frozen=True, slots=True)
class Example:
    """A check, and the right and the wrong numbers at one of its places."""

    check: Check
    arrays: SideBySide


@dataclass(frozen=True, slots=True)
class Explanation:
    """A mistake, with the smallest example of each kind; None where there is none of numbers."""

    exercise: Exercise
    mistake: Mistake
    shows: Example | None
    hides: Example | None


def explain(desk: Desk, exercise: Exercise, mistake: Mistake) -> Explanation:
    """Play the whole suite on the mistake, and look for examples in it."""
    results = desk.run(exercise, mistake.source, exercise.file_name, desk.options.seed)
    shows = min(showing(results), key=simplicity, default=None)
    hides = min(hiding(results), key=lambda example: (not alike(example, shows), *simplicity(example)), default=None)
    return Explanation(exercise, mistake, shows, hides)


def showing(results: Sequence[Result]) -> Iterator[Example]:
    """Every difference of numbers, of every check that fails."""
    for result in results:
        if result.check.outcome is Outcome.FAILED:
            yield from (Example(result.check, each) for each in result.check.differences if isinstance(each, ArrayDifference))


def hiding(results: Sequence[Result]) -> Iterator[Example]:
    """Every place with numbers, of every check of numbers that passes."""
    for result in results:
        if result.check.outcome is Outcome.PASSED and result.check.kind != Kind.INTERFACE:
            for play in result.plays:
                if play.expectation.request.probe == "new_layer":  # of which every mistake but one of initial values knows nothing
                    continue
                for place, expected in play.expectation.places.items():
                    right, got = expected.value, play.observation.values.get(place)
                    if isinstance(right, Array) and isinstance(got, Array) and expected.spread is not None and right.values.size:
                        yield Example(result.check, side_by_side(place, right, got, allowed(expected)))


def side_by_side(place: str, right: Array, wrong: Array, limit: np.ndarray) -> SideBySide:
    """Two arrays that agree."""
    numbers = Numbers(right.values.astype(np.float64), wrong.values.astype(np.float64).reshape(right.values.shape), limit)
    return SideBySide(place=place, dtype=wrong.dtype, shape=tuple(map(int, right.values.shape)), numbers=numbers)


def simplicity(example: Example) -> tuple[bool, int, bool, bool, int, str]:
    """What makes an example easy to follow: finite numbers, a plain claim, the output rather than a gradient, and few numbers."""
    kind, place, numbers = example.check.kind, example.arrays.place, example.arrays.numbers
    rank, total = KINDS.index(kind) if kind in KINDS else len(KINDS), numbers.expected.size
    return not is_finite(numbers), rank, "gradient" in place, total < LEAST, total, place


def is_finite(numbers: Numbers) -> bool:
    return bool(np.isfinite(numbers.expected).all() and np.isfinite(numbers.actual).all())


def alike(example: Example, other: Example | None) -> bool:
    """Whether two examples are of the same place, whatever the step."""
    return other is not None and tail(example) == tail(other)


def tail(example: Example) -> str:
    return example.arrays.place.rpartition(" · ")[2]
