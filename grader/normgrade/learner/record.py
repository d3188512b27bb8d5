"""The steps after grading: reports are cut to the part that may be shown, and attempts in a workspace are recorded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from normgrade.course.exercise import Exercise
from normgrade.grading.grade import Submission
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.attempts import Attempt
from normgrade.learner.interviews import running_here
from normgrade.learner.standing import attempts_of
from normgrade.learner.workspace import Workspace
from normgrade.report.report import Outcome, Report
from normgrade.report.reveal import claims_alone, reveal


def revealed(submissions: Sequence[Submission], reports: Sequence[Report]) -> list[Report]:
    """Return the reports as far as the course reveals them; for exercises of a running interview, return only claims.

    Attempts are recorded; if that fails, a note goes to stderr.
    """
    shown = [told(report, submission.exercise) for report, submission in zip(reports, submissions, strict=True)]
    if note := remember(submissions, shown):
        print(_("Note: {message}", message=note), file=sys.stderr)
    return shown


def told(report: Report, exercise: Exercise) -> Report:
    """Return the report as far as the course and a running interview reveal it."""
    interview = running_here()
    shown = reveal(report, exercise.reveal)
    return shown if interview is None or report.exercise not in interview.slugs else claims_alone(shown)


def remember(submissions: Sequence[Submission], reports: Sequence[Report]) -> str:
    """Record the graded files of the workspace as attempts, if there is a workspace. Returns the reason if that failed, else "".

    No verdict depends on it, so an error is never raised.
    """
    try:
        workspace, now = Workspace.find(), datetime.now(UTC)
        attempts = [
            Attempt.of(report, now)
            for submission, report in zip(submissions, reports, strict=True)
            if report.outcome in (Outcome.PASSED, Outcome.FAILED) and workspace is not None and workspace.holds(submission.path)
        ]
        if workspace is not None and attempts:
            attempts_of(workspace).add(attempts)
    except UsageError as error:
        return str(error)
    return ""
