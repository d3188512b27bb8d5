"""Grading, from files to reports: inspect them, open one grader for all, and report on each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.inspection.cells import told_of_cells
from normgrade.inspection.inspection import Inspection, inspect_file
from normgrade.report.report import NOTHING_RAN, Check, Outcome, Report

if TYPE_CHECKING:
    from normgrade.grading.grader import Grader

OnReport = Callable[[Report], None]
OnEvent = Callable[[Check | Report], None]  # called with each check when it ends, and with the report before the search for the mistake


@dataclass(frozen=True, slots=True)
class Submission:
    """A learner's file for one exercise, under the name that the report gives it."""

    exercise: Exercise
    path: Path
    name: str


def grade(
    submissions: Sequence[Submission],
    options: Options = Options(),  # noqa: B008
    on_report: OnReport = lambda report: None,
) -> list[Report]:
    """Return the reports on the submissions, in their order. One grader serves them all; it is opened if there is anything to play.

    If it is opened, `on_report` is called with each report, and before that with the report that a search for the mistake will complete.
    """

    def on_event(event: Check | Report) -> None:
        if isinstance(event, Report) and event.searching:
            on_report(event)

    def reported(grader: Grader, submission: Submission, inspection: Inspection) -> Report:
        from normgrade.grading.reporting import report_on  # loads NumPy

        report = report_on(grader, submission, inspection, on_event)
        on_report(report)
        return report

    inspected = [(each, inspect_file(each.path, each.exercise, allow_stub=options.allow_stub)) for each in submissions]
    playable = [submission.exercise for submission, inspection in inspected if inspection.playable]
    if not playable:
        return [report_of_inspection(submission, inspection, options.seed) for submission, inspection in inspected]
    with open_grader(playable, options) as grader:
        return [reported(grader, submission, inspection) for submission, inspection in inspected]


def report_of_inspection(submission: Submission, inspection: Inspection, seed: int) -> Report:
    """Return the report that is possible before anything runs."""
    return Report(
        exercise=submission.exercise.slug,
        submission=submission.name,
        outcome=Outcome.FAILED if inspection.started else Outcome.NOT_STARTED,
        possible=submission.exercise.points,
        sandbox=NOTHING_RAN,
        seed=seed,
        duration_s=0.0,
        findings=inspection.findings,
        cells=told_of_cells(inspection.source or "", inspection.left_out),
        source=inspection.source or "",
        digest=inspection.digest,
        course=submission.exercise.other_course,
    )
