"""Proofs in GitHub Actions: each problem as an annotation where the author mends it, and a summary of all reports."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from normgrade.course.course import Course
from normgrade.language import _, n_
from normgrade.report.render.wording import MARKS
from normgrade.report.render.workflow_commands import command, folded, in_markdown, limited, preformatted
from normgrade.report.report import Check, Outcome, Report
from normgrade.verify.mending import Problem, problems_in


def annotated(reports: Sequence[Report], course: Course) -> list[str]:
    """Return the commands that annotate the problems in the reports. The first problem of each comes before the second of any."""
    root = root_of(course.root)
    turns = zip_longest(*(problems_in(report, course) for report in reports))
    return limited(annotation(problem, root) for problem in chain.from_iterable(turns) if problem is not None)


def annotation(problem: Problem, root: Path) -> str:
    """Return the command that annotates a problem; its file is given by its path in the repository."""
    title = f"{problem.exercise} · {problem.proof.claim}"
    return command("error", problem.text, file=Path(os.path.relpath(problem.path, root)).as_posix(), line=problem.line, title=title)


def root_of(folder: Path) -> Path:
    """Return the root of the repository that a folder belongs to; the folder itself if it is in none."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def summary(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the blocks of a summary in Markdown: a table of the reports, then the claims of those with problems."""
    titles = (_("exercise"), _("proved"), _("failed"), _("undecided"))
    rows = (row(report) for report in reports)
    yield "\n".join(("| " + " | ".join(map(in_markdown, titles)) + " |", "|---|---:|---:|---:|", *rows))
    yield from (details(report) for report in reports if report.outcome is not Outcome.PASSED)


def row(report: Report) -> str:
    """Return the row of a report in the table, with the numbers of its claims by their outcome."""
    proved, failed, undecided = (
        sum(check.outcome in outcomes for check in counted(report))
        for outcomes in ((Outcome.PASSED,), (Outcome.FAILED, Outcome.ERROR), (Outcome.SKIPPED,))
    )
    return f"| {MARKS[report.outcome]} {in_markdown(report.exercise)} | {proved} | {failed} | {undecided} |"


def counted(report: Report) -> list[Check]:
    """Return the proofs that count: a course may do without those that carry no points."""
    return [check for check in report.checks if check.points]


def details(report: Report) -> str:
    """Return the claims of a report that are not proved, with their problems, to be unfolded."""
    open_claims = [check for check in counted(report) if check.outcome is not Outcome.PASSED]
    title = n_("{exercise}: {n} claim is not proved", "{exercise}: {n} claims are not proved", len(open_claims), exercise=report.exercise)
    return folded(title, (block for check in open_claims for block in told(check)))


def told(check: Check) -> Iterator[str]:
    """Yield a claim with its mark, and its problems."""
    yield f"{MARKS[check.outcome]} {in_markdown(check.claim)}"
    if check.message:
        yield preformatted(check.message)
