"""The play of every check of an exercise, with progress for the learner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from normgrade.course.exercise import Exercise

if TYPE_CHECKING:
    from normgrade.compare.played import Result
    from normgrade.grading.grader import Grader


def results_of(grader: Grader, exercise: Exercise, source: str, file_name: str, what: str) -> Iterator[Result]:
    """Yield every check's result as soon as it is there, and report how many there are. `what` describes the work in progress."""
    from normgrade.grading.preparation import prepare  # loads NumPy

    prepare(grader, exercise)
    total = len(grader.played(exercise).tests)
    for number, result in enumerate(grader.results(exercise, source, file_name), 1):
        grader.options.progress(what, number, total)
        yield result
