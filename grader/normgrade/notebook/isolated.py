"""Grading in a separate process, which sends back the reports that `normgrade check` would show."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.language import _
from normgrade.language.errors import GraderError, UsageError
from normgrade.learner.practice.interviews import held_back, running_here, status_in_words
from normgrade.learner.record import revealed, told
from normgrade.learner.watch.after_pass import after_pass
from normgrade.learner.workspace import Workspace, find_course
from normgrade.notebook.apart import answers_apart
from normgrade.notebook.graded import Graded
from normgrade.report.report import Outcome, Report

Answer = Graded | Exception


@dataclass(frozen=True, slots=True)
class Order:
    """The order to grade a submission: its exercise and options, in plain values."""

    slug: str
    seed: int
    timeout_s: float | None
    required: str  # the weakest walls
    course: str | None

    @property
    def exercise(self) -> Exercise:
        return self.its_course.exercise(self.slug)

    @property
    def its_course(self) -> Course:
        return find_course(None if self.course is None else Path(self.course))


def ignore(early: Graded) -> None:
    """Show nothing until everything is known."""


def grade_apart(order: Order, path: Path, name: str, on_early: Callable[[Graded], None] = ignore) -> Graded:
    """Grade, and return the reports that `normgrade check` would show and store. Notes go to stderr.

    `on_early` is called with the first results while the search for the mistake runs.
    """
    answers: list[Answer] = []

    def on_answer(answer: Answer) -> None:  # pickled by normgrade's own code
        answers.append(answer)
        if isinstance(answer, Graded) and any(report.searching for report in answer.reports):
            on_early(answer)

    done = answers_apart("notebook.isolated", astuple(order), str(path), name, on_answer=on_answer)
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise GraderError(_("The grader crashed, not your code. Please report this output:\n{said}", said=said.strip()))
    print(said, end="", file=sys.stderr)
    answer = answers[-1]
    if isinstance(answer, Exception):
        raise answer
    return answer


def main(order: tuple[Any, ...], path: str, name: str) -> None:
    """Grade in this process, and pickle the results so far to stdout, last the final result, or the error for the user."""
    gc.enable()
    with open(os.dup(1), "wb") as file:
        os.dup2(2, 1)  # other output is not part of the answer

        def give(answer: Answer) -> None:
            pickle.dump(answer, file)
            file.flush()

        try:
            give(graded(Order(*order), Path(path), name, give))
        except (UsageError, GraderError) as error:
            give(error)


def graded(order: Order, path: Path, name: str, on_early: Callable[[Graded], None]) -> Graded:
    """Grade, and add the lines that `normgrade check` prints below the reports."""
    submissions = [Submission(order.exercise, path, name)]
    warn_of_folders()

    def on_report(report: Report) -> None:
        if report.searching:
            on_early(Graded((told(report, order.exercise),)))

    options = Options(order.seed, order.timeout_s, required=order.required)
    reports = revealed(submissions, grade(submissions, options, on_report))
    return Graded(tuple(reports), tuple(below(order, reports)))


def below(order: Order, reports: Sequence[Report]) -> list[str]:
    """Return the lines below the reports in a workspace: about a running interview, else about a pass."""
    workspace = Workspace.find()
    if (interview := running_here()) is not None:
        return [*filter(None, [held_back(interview, reports)]), status_in_words(interview, datetime.now(UTC))]
    if workspace is not None and all(report.outcome is Outcome.PASSED for report in reports):
        with suppress(UsageError):  # a note has reported it already
            return after_pass(order.its_course, order.exercise, workspace)
    return []
