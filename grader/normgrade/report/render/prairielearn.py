"""Reports as `results.json` of PrairieLearn's external graders. A file that cannot be loaded is not gradable, and costs no attempt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from normgrade import __version__
from normgrade.language import _
from normgrade.report.render.check_words import case_of, in_short
from normgrade.report.render.json import dumped, readable
from normgrade.report.render.plain import finding_lines, plain
from normgrade.report.render.summary import verdict
from normgrade.report.render.wording import asked_as_well, bounded, credit_in_words, one_line, titled
from normgrade.report.report import Check, Outcome, Report, Rule

UNREADABLE = (Rule.FILE, Rule.SYNTAX, Rule.CONTRACT)
MOST_BYTES = 1_000_000  # the smaller of the two meanings of a megabyte
LENGTHS = (20_000, 2_000, 200)  # of a text, in characters: the first with which the whole is small enough
LINES = 400


def render_prairielearn(reports: Sequence[Report]) -> str:
    """Return all reports as one `results.json` of at most a megabyte; texts that are cut for that end with a notice."""
    texts = (dumped(readable(content_of(reports, length))) for length in LENGTHS)
    small = next((text for text in texts if len(text.encode()) <= MOST_BYTES), "")
    return small or dumped(readable({**content_of(reports, LENGTHS[-1]), "tests": []}))


def content_of(reports: Sequence[Report], length: int) -> dict[str, Any]:
    """Return the results, in which no text is longer than `length` characters."""
    earned, possible = sum(report.earned for report in reports), sum(report.possible for report in reports)
    gradable = any(map(is_gradable, reports)) or not reports
    several = len(reports) > 1
    return {
        "normgrade": __version__,
        "gradable": gradable,
        "score": min(earned / possible, 1.0) if possible else 0.0,
        **({} if gradable else {"format_errors": [cut(fault, length) for report in reports for fault in faults_of(report)]}),
        "message": cut("\n".join(_(": ").join((titled(report), verdict(report))) for report in reports), length),
        "output": cut(plain(reports), length),
        "tests": [test for report in reports for test in tests_of(report, f"{one_line(report.exercise)}: " if several else "", length)],
    }


def is_gradable(report: Report) -> bool:
    """Return False for a file that cannot be loaded, for an untouched stub, and after a fault of the grader: none costs an attempt."""
    unreadable = any(finding.rule in UNREADABLE for finding in report.findings)
    return report.outcome in (Outcome.PASSED, Outcome.FAILED) and not unreadable


def faults_of(report: Report) -> Iterator[str]:
    """Yield the reasons why a report is not gradable."""
    faults = ["\n".join(finding_lines(finding)) for finding in report.findings]
    yield from faults or [plain([report])]


def tests_of(report: Report, before: str, length: int) -> Iterator[dict[str, Any]]:
    """Yield a test for each check; then one for the points that no check has, such as those that a diagnosis grants."""
    for check in report.checks:
        yield test_of_check(report, check, before, length)
    rest = report.earned - sum(map(report.points_of, report.checks))
    most = report.possible if not report.checks else 0
    if rest or not report.checks:
        said = credit_in_words(report) or verdict(report)
        yield {"name": cut(before + said, length), "points": rest, "max_points": most}


def test_of_check(report: Report, check: Check, before: str, length: int) -> dict[str, Any]:
    """Return the test of one check, with its points and its claim."""
    name = asked_as_well(case_of(check)) if check.asked_in_vain else case_of(check)
    output = "\n".join(in_short(report, check))
    points = {"points": report.points_of(check), "max_points": check.points}
    return {"name": cut(before + name, length), **points, **({"output": cut(output, length)} if output else {})}


def cut(text: str, length: int) -> str:
    return bounded(text, LINES, length)
