"""Grading from Python, for answers by the ten thousand: `normgrade.grade_many`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from normgrade.classes.pool import WAITING, Graded, Setup, Work, grade_on_cores, grade_over
from normgrade.course.course import Course
from normgrade.grading.grading_options import PUBLIC_SEED, available
from normgrade.language.errors import GraderError


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to an exercise.

    exercise: the slug, "layer_norm".
    source: its code.
    name: the name that its report gives it.

    >>> Answer("rms_norm", "import torch", name="run 7").name
    'run 7'
    """

    exercise: str
    source: str
    name: str = "answer"


def grade_many(
    answers: Iterable[Answer],
    *,
    course: str | Path | None = None,
    seed: int = PUBLIC_SEED,
    timeout_s: float | None = None,
    require_isolation: str = "process",
    cores: int | None = None,
    executor: Executor | None = None,
) -> Iterator[Mapping[str, Any]]:
    """Yield the report on each answer as soon as it is known, as an object in the `reports` of JSON.

    The answers may come from a generator: only a few are taken ahead of time. They are graded on all cores, or on so many `cores`, or by
    an `executor` of any kind whose processes have normgrade and the course. A script that calls this begins with
    `if __name__ == "__main__":`, because it is imported by the processes.

    Raise UsageError if an exercise does not exist or is broken, and GraderError if an answer could not be graded.
    """
    found = Course.find(None if course is None else Path(course))
    setup = Setup(found.root, tuple(found.slugs), seed, timeout_s, require_isolation)
    works = (work_of(answer, found) for answer in answers)
    processes = cores or available()
    if executor is None:
        return map(report_of, grade_on_cores(works, setup, processes))
    return map(report_of, grade_over(executor, works, setup=setup, ahead=WAITING * processes))


def work_of(answer: Answer, course: Course) -> Work:
    """Return the work to grade an answer. Raise UsageError if there is no such exercise."""
    course.exercise(answer.exercise)
    return Work(answer.exercise, answer.source.encode(errors="surrogateescape"), answer.name)


def report_of(graded: Graded) -> Mapping[str, Any]:
    """Return the report of a graded answer. Raise GraderError if it could not be graded."""
    if graded.error:
        raise GraderError(f"{graded.work.name}: {graded.error}")
    return graded.report
