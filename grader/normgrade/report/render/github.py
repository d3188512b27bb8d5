"""Reports for the log of GitHub Actions: plain text, and workflow commands that annotate the lines of submissions.

The plain text stands between `stop-commands` and a random token, so the runner obeys nothing in it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from normgrade.language import _, n_
from normgrade.language.visible import visible
from normgrade.report.render.plain import plain
from normgrade.report.render.summary import crash_of, diagnosis_of, failing_claims, mistakes_of, step_of, verdict
from normgrade.report.render.wording import losses_in_words, next_step, not_started, one_line, titled, word_of
from normgrade.report.report import Outcome, Report

MOST = 10  # annotations of a kind: GitHub shows no more for a step
CLAIMS = 3
ERROR, WARNING, NOTICE = "error", "warning", "notice"
IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_MESSAGE, ":": "%3A", ",": "%2C"}


@dataclass(frozen=True, slots=True)
class Annotation:
    """A sentence about a place in a file, as the workflow command `kind` takes it. Line and column are counted from 1; 0 is no place."""

    kind: str
    file: str
    title: str
    text: str
    line: int = 0
    column: int = 0
    width: int = 0

    def __str__(self) -> str:
        places = {"line": self.line, "col": self.column, "endColumn": self.column + self.width - 1 if self.width else 0}
        properties = {
            "file": self.file,
            **({name: place for name, place in places.items() if place} if self.line else {}),
            "title": self.title,
        }
        said = ",".join(f"{name}={escaped(str(value), IN_PROPERTY)}" for name, value in properties.items())
        return f"::{self.kind} {said}::{escaped(self.text, IN_MESSAGE)}"


def render_github(reports: Sequence[Report]) -> str:
    """Return the text of a log: the reports in words, then the annotations that GitHub shows."""
    found = in_turn([annotations_of(report) for report in reports])
    kept = [annotation for kind in (ERROR, WARNING, NOTICE) for annotation in [each for each in found if each.kind == kind][:MOST]]
    left_out = len(found) - len(kept)
    more = [n_("{n} more annotation is left out.", "{n} more annotations are left out.", left_out)] if left_out else []
    words = [plain(reports), *map(visible, losses_in_words(reports)), *more]
    return "\n".join([f"::stop-commands::{token()}", *words, f"::{token()}::", *map(str, kept)]) + "\n"


@cache
def token() -> str:
    """Return the word that ends the plain text. No submission can know it."""
    return secrets.token_hex(16)


def in_turn(of_each: Iterable[Iterable[Annotation]]) -> list[Annotation]:
    """Return the first annotation of each report, then the second of each, and so on."""
    return [annotation for rank in zip_longest(*of_each) for annotation in rank if annotation is not None]


def annotations_of(report: Report) -> Iterator[Annotation]:
    """Yield the annotations of one report, the most important first; at least one."""
    file, title = in_repository(report.submission), titled(report)
    match report.outcome:
        case Outcome.PASSED:
            yield Annotation(NOTICE, file, title, verdict(report))
            yield from findings_of(report, WARNING)
        case Outcome.ERROR:
            yield Annotation(ERROR, file, title, f"{verdict(report)}\n{next_step(report)}")
        case Outcome.NOT_STARTED:
            yield Annotation(WARNING, file, title, not_started(report))
        case _:
            faults = [*findings_of(report, ERROR), *mistakes_in(report), *exceptions_of(report)]
            yield from faults or [Annotation(ERROR, file, title, "\n".join([verdict(report), *[*failing_claims(report.checks)][:CLAIMS]]))]


def findings_of(report: Report, kind: str) -> Iterator[Annotation]:
    """Yield the faults that the source shows."""
    for finding in report.findings:
        first = finding.text.partition("\n")[0]
        yield Annotation(kind, in_repository(report.submission), word_of(finding.rule), first, finding.line, finding.column)


def mistakes_in(report: Report) -> Iterator[Annotation]:
    """Yield the mistakes of the diagnosis at their places, and the first wrong step."""
    file, diagnosis, step = in_repository(report.submission), diagnosis_of(report), step_of(report)
    for mistake in mistakes_of(diagnosis) if diagnosis is not None else ():
        for spot in mistake.spots:
            said = "\n".join(filter(None, (one_line(mistake.says), one_line(spot.remedy))))
            yield Annotation(ERROR, file, mistake.name, said, spot.line, spot.column, spot.width)
        if not mistake.spots:
            yield Annotation(ERROR, file, mistake.name, one_line(mistake.says))
    if step is not None:
        title = _("The first step that goes wrong: ").strip().rstrip(":：")
        yield Annotation(ERROR, file, title, one_line(step.says), step.spot.line, step.spot.column, step.spot.width)


def exceptions_of(report: Report) -> Iterator[Annotation]:
    """Yield the exception that no mistake explains."""
    check = crash_of(report)
    if check is not None and (raised := check.raised) is not None:
        title, *rest = one_line(raised.said).split(": ", 1)
        said = "\n".join(filter(None, (*rest, one_line(raised.advice)))) or title
        yield Annotation(ERROR, in_repository(report.submission), title, said, raised.line, raised.column, raised.width)


def in_repository(path: str) -> str:
    """Return the path of a submission from the root of the repository, as annotations have it."""
    root = os.environ.get("GITHUB_WORKSPACE")
    if not root:
        return path
    relative = os.path.relpath(os.path.abspath(path), root)
    return path if relative.startswith(os.pardir) else relative


def escaped(text: str, signs: dict[str, str]) -> str:
    """Return a text that is safe in a workflow command, with these signs in their escaped form."""
    return "".join(signs.get(sign, sign) for sign in visible(text))
