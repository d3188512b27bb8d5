"""The steps after a grading: reports are cut to the part that may be shown, attempts are recorded, and lines follow a pass."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.questions import questions_in
from normgrade.grading.grade import Submission
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import width
from normgrade.learner.interviews import running_here
from normgrade.learner.standing import Attempt, advice, attempts_of, records
from normgrade.learner.workspace import Workspace
from normgrade.report.report import Outcome, Report, claims_alone, reveal


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


# The lines after a pass


WIDEST = 80  # columns of a line


def after_pass(course: Course, exercise: Exercise, workspace: Workspace) -> list[str]:
    """Return the lines to show, each of at most 80 columns except for the last, which names the next step.

    Another pass shows another right way and another question.
    """
    found = records(course, workspace)
    attempts = next((record.attempts for record in found if record.exercise.slug == exercise.slug), ())
    passes = sum(attempt.passed for attempt in attempts)
    ways = other_ways(exercise) if passes else ()  # `solution` shows none before a pass
    again = max(passes - 1, 0)
    lines = [how_it_went(attempts), one_of(ways, again), one_of(questions(exercise), again)]
    return [*filter(None, lines), advice(found, brief=True)]


def how_it_went(attempts: Sequence[Attempt]) -> str:
    """Return how many attempts the first pass took, and the mistakes that were overcome; "" unless the last attempt passed."""
    if not attempts or not attempts[-1].passed:
        return ""
    names = [*dict.fromkeys(name for attempt in attempts for name in attempt.diagnoses)]
    took = 1 + next(number for number, attempt in enumerate(attempts) if attempt.passed)
    passed = n_("Passed at the first attempt.", "Passed after {n} attempts.", took)
    said = (_("{passed} {overcome}", passed=passed, overcome=overcome(names, count)) for count in range(len(names), 0, -1))
    return next(filter(fits, said), passed)


def overcome(names: Sequence[str], count: int) -> str:
    """Return a sentence that names `count` of the mistakes, and counts the others."""
    named, more = ", ".join(names[:count]), len(names) - count
    if not more:
        return _("Fixed: {names}.", names=named)
    return n_("Fixed: {names}, and {n} more.", "Fixed: {names}, and {n} more.", more, names=named)


def other_ways(exercise: Exercise) -> Iterator[str]:
    """Yield a line for each other right way, if the course reveals them."""
    if exercise.reveal == "full":
        for path in exercise.alternatives:
            yield _("Another right way: `normgrade solution {slug} {way}`", slug=exercise.slug, way=path.stem)


def questions(exercise: Exercise) -> list[str]:
    """Return a line for each interview question of the prompt, the longest first: a short question often depends on the one before it."""
    asked = questions_in(read_text(exercise.prompt), exercise.slug)
    return sorted((_("An interview may ask: {question}", question=each.text) for each in asked), key=width, reverse=True)


def one_of(lines: Iterable[str], turn: int) -> str:
    """Return the line for this turn, among those that fit; "" if none fits."""
    fitting = [*filter(fits, lines)]
    return fitting[turn % len(fitting)] if fitting else ""


def fits(line: str) -> bool:
    return "\n" not in line and width(line) <= WIDEST
