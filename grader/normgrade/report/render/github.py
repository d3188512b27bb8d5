"""Reports for GitHub Actions: plain text and annotations for the log, and a table for the summary of a step.

The plain text stands between `stop-commands` and a random token, so the runner obeys nothing in it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from normgrade.language import _
from normgrade.language.visible import visible
from normgrade.report.render.outline import CLAIMS, EVERY, Block, Crash, Fault, Mistake, outline
from normgrade.report.render.plain import plain
from normgrade.report.render.summary import failing_claims, named, verdict
from normgrade.report.render.wording import MARKS, losses_in_words, not_started, one_line, titled
from normgrade.report.render.workflow_commands import (
    ERROR,
    NOTICE,
    WARNING,
    command,
    folded,
    in_repository,
    in_turn,
    limited,
    preformatted,
    table,
)
from normgrade.report.report import Outcome, Report, Spot, WrongStep


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
    told = outline(report, EVERY)
    match report.outcome:
        case Outcome.PASSED:
            yield on_file(NOTICE, report, verdict(report))
            yield from (command for block in told.findings for command in placed(report, block, WARNING))
        case Outcome.ERROR:
            yield on_file(ERROR, report, f"{verdict(report)}\n{told.next.says}")
        case Outcome.NOT_STARTED:
            yield on_file(WARNING, report, not_started(report))
        case _:
            blocks = told.findings + told.diagnosis + told.traces + told.crash
            faults = [command for block in blocks for command in placed(report, block)]
            yield from faults or [on_file(ERROR, report, "\n".join([verdict(report), *[*failing_claims(report.checks)][:CLAIMS]]))]


def placed(report: Report, block: Block, kind: str = ERROR) -> Iterator[str]:
    """Yield the commands for a block, at its places: none for a mere sentence."""
    match block:
        case Fault(rule, line, column, text):
            yield at(kind, report, rule, text, line, column)
        case Mistake(_number, name, says, spots):
            said = one_line(says)
            yield from (at_spot(report, name, said, spot) for spot in spots)
            if not spots:
                yield at(ERROR, report, name, said)
        case WrongStep(says, spot):
            title = _("The first step that goes wrong: ").strip().rstrip(":：")
            yield at(ERROR, report, title, one_line(says), spot.line, spot.column, spot.width)
        case Crash(said, spot, advice):
            title, *rest = said.split(": ", 1)
            yield at_spot(report, title, "\n".join(filter(None, (*rest, advice))) or title, spot)


def at_spot(report: Report, title: str, text: str, spot: Spot) -> str:
    """Return the command that annotates a place, with its remedy."""
    said = "\n".join(filter(None, (text, one_line(spot.remedy))))
    return at(ERROR, report, title, said, spot.line, spot.column, spot.width)


def on_file(kind: str, report: Report, text: str) -> str:
    """Return the command that annotates a whole submission."""
    return at(kind, report, titled(report), text)


def at(kind: str, report: Report, title: str, text: str, line: int = 0, column: int = 0, width: int = 0) -> str:
    """Return the command that annotates a place in a submission. Line and column are counted from 1; 0 is no place."""
    places = {"line": line, "col": column, "endColumn": column + width - 1 if width else 0} if line else {}
    return command(kind, text, file=in_repository(Path(report.submission)), **places, title=title)


# The summary of a step


def step_summary(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the blocks of the summary."""
    titles = (_("exercise"), _("submission"), _("points"), _("mistake"))
    yield from table(titles, "|---|---|--:|---|", map(cells_of, reports))
    yield from (folded(titled(report), [preformatted(plain([report]))]) for report in reports if report.outcome is not Outcome.PASSED)


def cells_of(report: Report) -> tuple[str, ...]:
    """Return the row of a report in the table."""
    return f"{MARKS[report.outcome]} {report.exercise}", report.submission, f"{report.earned}/{report.possible}", named(report)
