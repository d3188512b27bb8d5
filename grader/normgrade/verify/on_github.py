"""Proofs in GitHub Actions: each problem as an annotation where the author mends it, and a summary of all reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from normgrade.course.course import Course
from normgrade.language import _, n_
from normgrade.report.render.wording import MARKS
from normgrade.report.render.workflow_commands import (
    ERROR,
    command,
    folded,
    in_markdown,
    in_repository,
    in_turn,
    limited,
    preformatted,
    table,
)
from normgrade.report.report import Check, Outcome, Report
from normgrade.verify.mending import Problem, problems_in


def annotated(reports: Sequence[Report], course: Course) -> list[str]:
    """Return the commands that annotate the problems in the reports. The first problem of each comes before the second of any."""
    return limited(in_turn(map(annotation, problems_in(report, course)) for report in reports))


def annotation(problem: Problem) -> str:
    """Return the command that annotates a problem."""
    title = f"{problem.exercise} · {problem.proof.claim}"
    return command(ERROR, problem.text, file=in_repository(problem.path), line=problem.line, title=title)


def summary(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the blocks of a summary: a table of the reports, then the claims of those with problems."""
    titles = (_("exercise"), _("proved"), _("failed"), _("undecided"))
    yield from table(titles, "|---|--:|--:|--:|", map(cells_of, reports))
    yield from (details(report) for report in reports if report.outcome is not Outcome.PASSED)


def cells_of(report: Report) -> list[str]:
    """Return the row of a report in the table, with the numbers of its claims by their outcome."""
    outcomes = Counter(check.outcome for check in counted(report))
    numbers = (outcomes[Outcome.PASSED], outcomes[Outcome.FAILED] + outcomes[Outcome.ERROR], outcomes[Outcome.SKIPPED])
    return [f"{MARKS[report.outcome]} {report.exercise}", *map(str, numbers)]


def counted(report: Report) -> list[Check]:
    """Return the proofs that count: a course may do without those that carry no points."""
    return [check for check in report.checks if check.points]


def details(report: Report) -> str:
    """Return the claims of a report that are not proved, with their problems, to be unfolded."""
    open_claims = [check for check in counted(report) if check.outcome is not Outcome.PASSED]
    title = n_("{exercise}: {n} claim is not proved", "{exercise}: {n} claims are not proved", len(open_claims), exercise=report.exercise)
    return folded(title, (part for check in open_claims for part in told(check)))


def told(check: Check) -> Iterator[str]:
    """Yield a claim with its mark, and its problems."""
    yield f"{MARKS[check.outcome]} {in_markdown(check.claim)}"
    if check.message:
        yield preformatted(check.message)
