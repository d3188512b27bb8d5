"""Reports for the log of GitHub Actions: plain text, and workflow commands that annotate the lines of submissions.

The plain text stands between `stop-commands` and a random token, so the runner obeys nothing in it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from normgrade.language import _
from normgrade.language.visible import visible
from normgrade.report.render.plain import plain
from normgrade.report.render.summary import crash_of, diagnosis_of, failing_claims, mistakes_of, step_of, verdict
from normgrade.report.render.wording import losses_in_words, next_step, not_started, one_line, titled, word_of
from normgrade.report.render.workflow_commands import ERROR, NOTICE, WARNING, command, in_repository, in_turn, limited
from normgrade.report.report import Outcome, Report

CLAIMS = 3


def render_github(reports: Sequence[Report]) -> str:
    """Return the text of a log: the reports in words, then the annotations that GitHub shows."""
    words = [plain(reports), *map(visible, losses_in_words(reports))]
    shown = limited(in_turn(map(annotations_of, reports)))
    return "\n".join([f"::stop-commands::{token()}", *words, f"::{token()}::", *shown]) + "\n"


@cache
def token() -> str:
    """Return the word that ends the plain text. No submission can know it."""
    return secrets.token_hex(16)


def annotations_of(report: Report) -> Iterator[str]:
    """Yield the commands that annotate one report, the most important first; at least one."""
    match report.outcome:
        case Outcome.PASSED:
            yield on_file(NOTICE, report, verdict(report))
            yield from findings_of(report, WARNING)
        case Outcome.ERROR:
            yield on_file(ERROR, report, f"{verdict(report)}\n{next_step(report)}")
        case Outcome.NOT_STARTED:
            yield on_file(WARNING, report, not_started(report))
        case _:
            faults = [*findings_of(report, ERROR), *mistakes_in(report), *exceptions_of(report)]
            yield from faults or [on_file(ERROR, report, "\n".join([verdict(report), *[*failing_claims(report.checks)][:CLAIMS]]))]


def findings_of(report: Report, kind: str) -> Iterator[str]:
    """Yield the faults that the source shows."""
    for finding in report.findings:
        yield at(kind, report, word_of(finding.rule), finding.text.partition("\n")[0], finding.line, finding.column)


def mistakes_in(report: Report) -> Iterator[str]:
    """Yield the mistakes of the diagnosis at their places, and the first wrong step."""
    diagnosis, step = diagnosis_of(report), step_of(report)
    for mistake in mistakes_of(diagnosis) if diagnosis is not None else ():
        for spot in mistake.spots:
            said = "\n".join(filter(None, (one_line(mistake.says), one_line(spot.remedy))))
            yield at(ERROR, report, mistake.name, said, spot.line, spot.column, spot.width)
        if not mistake.spots:
            yield at(ERROR, report, mistake.name, one_line(mistake.says))
    if step is not None:
        title = _("The first step that goes wrong: ").strip().rstrip(":：")
        yield at(ERROR, report, title, one_line(step.says), step.spot.line, step.spot.column, step.spot.width)


def exceptions_of(report: Report) -> Iterator[str]:
    """Yield the exception that no mistake explains."""
    check = crash_of(report)
    if check is not None and (raised := check.raised) is not None:
        title, *rest = one_line(raised.said).split(": ", 1)
        said = "\n".join(filter(None, (*rest, one_line(raised.advice)))) or title
        yield at(ERROR, report, title, said, raised.line, raised.column, raised.width)


def on_file(kind: str, report: Report, text: str) -> str:
    """Return the command that annotates a whole submission."""
    return at(kind, report, titled(report), text)


def at(kind: str, report: Report, title: str, text: str, line: int = 0, column: int = 0, width: int = 0) -> str:
    """Return the command that annotates a place in a submission. Line and column are counted from 1; 0 is no place."""
    places = {"line": line, "col": column, "endColumn": column + width - 1 if width else 0} if line else {}
    return command(kind, text, file=in_repository(Path(report.submission)), **places, title=title)
