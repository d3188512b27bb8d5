"""What a known mistake does to the numbers: an example where it shows, and one where it hides. Both are results of the hidden suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.differences import allowed
from normgrade.course.course import Exercise
from normgrade.course.mistakes import Mistake
from normgrade.grade import Desk
from normgrade.report.report import Check, Difference, Numbers, Outcome
from normgrade.suite.run import Result
from normgrade.worker.observation import Array

LEAST = 2  # numbers; an example of fewer says little
KINDS = ("formula", "state", "gradient", "stability", "precision", "edge")  # the plainest first


@dataclass(frozen=True, slots=True)
class Example:
    """A check, and the right and the wrong numbers at one of its places."""

    check: Check
    difference: Difference


@dataclass(frozen=True, slots=True)
class Explanation:
    """A mistake, with the simplest example where it shows and where it hides; None where no check with numbers does."""

    exercise: Exercise
    mistake: Mistake
    shows: Example | None
    hides: Example | None


def explain(desk: Desk, exercise: Exercise, mistake: Mistake) -> Explanation:
    """Play the whole suite on the mistake, and choose the simplest examples from the results."""
    results = desk.run(exercise, mistake.source, exercise.file_name, desk.options.seed)
    shows = min(showing(results), key=simplicity, default=None)
    hides = min(hiding(results), key=lambda example: (not alike(example, shows), *simplicity(example)), default=None)
    return Explanation(exercise, mistake, shows, hides)


def showing(results: Sequence[Result]) -> Iterator[Example]:
    """An example of every difference in numbers of every check that fails."""
    for result in results:
        if result.check.outcome is Outcome.FAILED:
            yield from (Example(result.check, each) for each in result.check.differences if each.numbers is not None)


def hiding(results: Sequence[Result]) -> Iterator[Example]:
    """An example of every place with numbers of every check that passes, except interface checks."""
    for result in results:
        if result.check.outcome is Outcome.PASSED and result.check.kind != "interface":
            for play in result.plays:
                if play.expectation.request.probe == "new_layer":  # initial values are right for every mistake but one about them
                    continue
                for place, expected in play.expectation.places.items():
                    actual = play.observation.values.get(place)
                    if isinstance(expected.value, Array) and isinstance(actual, Array) and expected.spread is not None:
                        yield Example(result.check, side_by_side(place, expected.value, actual, allowed(expected)))


def side_by_side(place: str, right: Array, wrong: Array, limit: np.ndarray) -> Difference:
    """Two arrays that agree, as a difference in which no number differs."""
    numbers = Numbers(right.values.astype(np.float64), wrong.values.astype(np.float64).reshape(right.values.shape), limit)
    shape = tuple(map(int, right.values.shape))
    return Difference(place, wrong.dtype, shape, 0, right.values.size, None, None, None, None, None, None, numbers=numbers)


def simplicity(example: Example) -> tuple[bool, int, bool, bool, int, str]:
    """A sort key; the lowest example is the easiest to follow: finite, of a plain kind, the output rather than a gradient, few numbers."""
    difference, kind = example.difference, example.check.kind
    rank = KINDS.index(kind) if kind in KINDS else len(KINDS)
    return not is_finite(difference), rank, "gradient" in difference.place, difference.total < LEAST, difference.total, difference.place


def is_finite(difference: Difference) -> bool:
    numbers = difference.numbers
    return numbers is not None and bool(np.isfinite(numbers.expected).all() and np.isfinite(numbers.actual).all())


def alike(example: Example, other: Example | None) -> bool:
    """Whether two examples are of the same place in any two steps."""
    return other is not None and tail(example) == tail(other)


def tail(example: Example) -> str:
    """The place without its step."""
    return example.difference.place.rpartition(" · ")[2]
