"""Grading on many cores or machines: submissions are handed out one by one to processes, each of which keeps a grader open."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grade import Submission, report_of_inspection
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import PUBLIC_SEED, Options
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import hand_out, open_here, processes
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_content
from normgrade.language import _
from normgrade.language.errors import GraderError, UsageError
from normgrade.report.render.json import report_as_json

WAITING = 2  # submissions for each process that are handed out: one that it grades, and one that waits


@dataclass(frozen=True, slots=True)
class Work:
    """A submission to grade: its exercise, its bytes, and the name that its report gives it."""

    slug: str
    content: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a process needs to know before it grades: the course, the exercises that may come, and the options."""

    course: Path
    slugs: tuple[str, ...]
    seed: int = PUBLIC_SEED
    timeout_s: float | None = None
    required: str = "process"

    @property
    def options(self) -> Options:
        return Options(self.seed, self.timeout_s, required=self.required)


@dataclass(frozen=True)
class Graded:
    """A graded submission: the `text` of its report, an object in the `reports` of JSON.

    If the grader broke, there is no text, and `error` tells why. That is never the fault of the submission.
    """

    work: Work
    text: str
    error: str = ""

    @cached_property
    def report(self) -> Mapping[str, Any]:
        """The fields of the report."""
        found: Mapping[str, Any] = json.loads(self.text)
        return found


def grade_on_cores(works: Iterable[Work], setup: Setup, cores: int) -> Iterator[Graded]:
    """Yield the graded submissions as they come, from one process on each core.

    If a process dies, the others' results are not lost: the submissions that were being graded are graded once more, each of them alone.
    """
    rest, lost = iter(works), list[Work]()
    while True:
        with processes(cores) as executor:
            yield from graded(rest, setup, executor, WAITING * cores, lost.append)
        if not lost:
            return
        while lost:
            with processes(1) as executor:
                yield from grade_over(executor, [lost.pop()], setup=setup, ahead=1)


def grade_over(executor: Executor, works: Iterable[Work], *, setup: Setup, ahead: int) -> Iterator[Graded]:
    """Yield the graded submissions as they come from an executor, to which at most `ahead` are handed out at a time."""
    lost: list[Work] = []
    yield from graded(works, setup, executor, ahead, lost.append)
    yield from (Graded(work, "", _("the process that graded it was ended from outside.")) for work in lost)


def graded(works: Iterable[Work], setup: Setup, executor: Executor, ahead: int, on_lost: Callable[[Work], None]) -> Iterator[Graded]:
    """Yield the graded submissions as they come. At most `ahead` of them are handed out to the executor at a time.

    If the executor breaks, `on_lost` is called with each submission that it had, and the rest stays in the iterator.
    """
    rest, broken = iter(works), False
    running: dict[Future[str], Work] = {}
    while True:
        for work in islice(rest, 0 if broken else ahead - len(running)):
            running[hand_out(executor, report_text, setup, work)] = work
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            work = running.pop(future)
            try:
                yield Graded(work, future.result())
            except BrokenExecutor:
                broken = True
                on_lost(work)
            except (GraderError, UsageError) as error:
                yield Graded(work, "", str(error))


# In a process of the executor

LOCK = Lock()  # held while a process grades: it may have several threads, such as a worker of a cluster


def report_text(setup: Setup, work: Work) -> str:
    """Grade a submission, with the grader that this process keeps open. Return its report as JSON."""
    with LOCK:
        seat = seat_for(setup)
    exercise = seat.exercises[work.slug]
    submission = Submission(exercise, Path(exercise.file_name), work.name)
    inspection = inspect_content(work.content, submission.path, exercise)
    if inspection.playable:
        with LOCK:
            report = report_on(seat.grader_for(work.slug), submission, inspection)
    else:
        report = report_of_inspection(submission, inspection, setup.seed)
    return json.dumps(report_as_json(report), allow_nan=False)


class Seat:
    """The grader of this process, which is opened at the first submission that has to be played, and closed when the process ends."""

    def __init__(self, setup: Setup) -> None:
        course = Course.find(setup.course)
        self.exercises: dict[str, Exercise] = {slug: course.exercise(slug) for slug in setup.slugs}
        self.options, self.slug = setup.options, ""
        self.grader: Grader | None = None

    def grader_for(self, slug: str) -> Grader:
        """Return the grader. If the exercise is another than before, all that was read for the one before is forgotten."""
        if self.grader is None:
            self.grader = open_here(open_grader([*self.exercises.values()], self.options))
        if slug != self.slug:
            self.grader.forget()
            self.slug = slug
        return self.grader


@cache
def seat_for(setup: Setup) -> Seat:
    """Return the seat of this process. It has one for each setup that comes."""
    return Seat(setup)
