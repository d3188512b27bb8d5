"""An explanation of a known mistake: an example in which it changes the numbers, and one in which it does not.

Both are results of the hidden suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.differences import allowed
from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import Mistake
from normgrade.grading.grader import Grader
from normgrade.grading.preparation import prepare
from normgrade.language import _
from normgrade.language.places import Place, place_in_words
from normgrade.remarks.remarks import remarked
from normgrade.report.report import ArrayDifference, Check, Kind, Numbers, Outcome, SideBySide
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import NewLayer

LEAST = 2  # numbers; an example with fewer says little
KINDS = (Kind.FORMULA, Kind.STATE, Kind.GRADIENT, Kind.STABILITY, Kind.PRECISION, Kind.EDGE)  # the plainest first


@dataclass(frozen=True, slots=True)
class Example:
    """A check, and the right and the wrong numbers at one of its places."""

    check: Check
    arrays: SideBySide


@dataclass(frozen=True, slots=True)
class Explanation:
    """A mistake, with the simplest example that shows it and the simplest that hides it; None if no check with numbers does."""

    exercise: Exercise
    mistake: Mistake
    shows: Example | None
    hides: Example | None


def explain(grader: Grader, exercise: Exercise, mistake: Mistake) -> Explanation:
    """Play the whole suite on the mistake, and choose the simplest examples from the results."""
    what = _("{mistake}: playing every check", mistake=mistake.name)
    results = list(results_of(grader, exercise, mistake.source, exercise.file_name, what))
    shows = min(showing(remarked(results, exercise)), key=simplicity, default=None)
    hides = min(hiding(results, exercise.places), key=lambda example: (not alike(example, shows), *simplicity(example)), default=None)
    return Explanation(exercise, mistake, shows, hides)


def showing(checks: Sequence[Check]) -> Iterator[Example]:
    """Yield every difference of numbers in every check that fails."""
    for check in checks:
        if check.outcome is Outcome.FAILED:
            yield from (Example(check, each) for each in check.differences if isinstance(each, ArrayDifference))


def hiding(results: Sequence[Result], words: Mapping[str, str]) -> Iterator[Example]:
    """Yield every place with numbers in every check of numbers that passes. `words` are the exercise's words for its places."""
    for result in results:
        if result.check.outcome is Outcome.PASSED and result.check.kind != Kind.INTERFACE:
            for play in result.plays:
                if isinstance(play.expectation.request, NewLayer):  # initial values are right unless the mistake is about them
                    continue
                for place, expected in play.expectation.places.items():
                    right, got = expected.value, play.observation.values.get(place)
                    if isinstance(right, Array) and isinstance(got, Array) and expected.spread is not None and right.values.size:
                        yield Example(result.check, side_by_side(place, right, got, allowed(expected), words))


def side_by_side(place: Place, right: Array, wrong: Array, limit: np.ndarray, words: Mapping[str, str]) -> SideBySide:
    """Return two arrays that agree, side by side."""
    numbers = Numbers(right.values.astype(np.float64), wrong.values.astype(np.float64).reshape(right.values.shape), limit)
    shape, called = tuple(map(int, right.values.shape)), place_in_words(place, words)
    return SideBySide(place=place, called=called, dtype=wrong.dtype, shape=shape, numbers=numbers)


def simplicity(example: Example) -> tuple[bool, int, bool, bool, int, str]:
    """Return a sort key; the lowest example is the easiest to follow.

    It has finite numbers, a plain kind, an output rather than a gradient, and few numbers, but at least LEAST.
    """
    kind, place, numbers = example.check.kind, example.arrays.place, example.arrays.numbers
    rank, total = KINDS.index(kind) if kind in KINDS else len(KINDS), numbers.expected.size
    return not is_finite(numbers), rank, place.learnt is not None, total < LEAST, total, place


def is_finite(numbers: Numbers) -> bool:
    return bool(np.isfinite(numbers.expected).all() and np.isfinite(numbers.actual).all())


def alike(example: Example, other: Example | None) -> bool:
    """Return True if two examples are about the same place, in any two steps."""
    return other is not None and tail(example) == tail(other)


def tail(example: Example) -> Place:
    """Return the place without its step."""
    return example.arrays.place.at(None)


def results_of(grader: Grader, exercise: Exercise, source: str, file_name: str, what: str) -> Iterator[Result]:
    """Yield every check's result as soon as it is there, and report how many there are. `what` describes the work in progress."""
    prepare(grader, exercise)
    total = len(grader.played(exercise).tests)
    for number, result in enumerate(grader.results(exercise, source, file_name), 1):
        grader.options.progress(what, number, total)
        yield result
