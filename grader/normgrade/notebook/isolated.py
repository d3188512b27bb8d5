"""Grade in a process of its own. A notebook runs a learner's code: it must not hold a reference, and its random numbers, threads and
PyTorch settings must stay as they are."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Exercise
from normgrade.grade import Submission, grade
from normgrade.language import VARIABLE, _, spoken
from normgrade.language.errors import GraderError, UsageError
from normgrade.learner.interviews import held_back, running_here
from normgrade.learner.record import revealed
from normgrade.learner.workspace import find_course
from normgrade.report.report import Report
from normgrade.suite.grading_options import Options
from normgrade.worker.launch import command


@dataclass(frozen=True, slots=True)
class Order:
    """How to grade a submission for which exercise, in plain values."""

    slug: str
    seed: int
    timeout_s: float | None
    required: str  # the weakest walls
    course: str | None

    @property
    def exercise(self) -> Exercise:
        return find_course(None if self.course is None else Path(self.course)).exercise(self.slug)


def grade_apart(order: Order, path: Path, name: str) -> list[Report]:
    """Grade, and return the reports that `normgrade check` would show and keep. Its notes go to stderr."""
    program = command("notebook.isolated", astuple(order), str(path), name)
    done = subprocess.run(program, capture_output=True, stdin=subprocess.DEVNULL, env=os.environ | {VARIABLE: spoken()})
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise GraderError(_("The grader itself broke, not your code. Please report what it said:\n{said}", said=said.strip()))
    print(said, end="", file=sys.stderr)
    answer: list[Report] | Exception = pickle.loads(done.stdout)  # which our own code wrote
    if isinstance(answer, Exception):
        raise answer
    return answer


def main(order: tuple[Any, ...], path: str, name: str) -> None:
    """Run in the process: grade, and pickle the reports, or the error meant for the user, to stdout."""
    gc.enable()
    answer = os.dup(1)
    os.dup2(2, 1)  # what else is printed is no part of the answer
    result: list[Report] | Exception
    try:
        result = graded(Order(*order), Path(path), name)
    except (UsageError, GraderError) as error:
        result = error
    with open(answer, "wb") as file:
        pickle.dump(result, file)


def graded(order: Order, path: Path, name: str) -> list[Report]:
    submissions = [Submission(order.exercise, path, name)]
    warn_of_folders()
    reports = revealed(submissions, grade(submissions, Options(order.seed, order.timeout_s, required=order.required)))
    if (interview := running_here()) is not None and (why := held_back(interview, reports)):
        print(why, file=sys.stderr)
    return reports
