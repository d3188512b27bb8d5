"""A report as plain lines, for systems that wrap text themselves and show it in a fixed pitch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.language import _
from normgrade.language.visible import visible
from normgrade.report.render.sections import raised_at
from normgrade.report.render.summary import crash_of, diagnosis_of, left_open, mistakes_of, reach_of, step_of, verdict
from normgrade.report.render.wording import (
    bounded,
    course_in_words,
    credit_in_words,
    deaths_in_words,
    next_step,
    not_started,
    one_line,
    pointed_at,
    said_first,
    search_in_words,
    seed_in_words,
    titled,
    word_of,
)
from normgrade.report.report import Finding, Outcome, Raised, Report

FINDINGS, SPOTS, LINES = 10, 10, 20


def plain(reports: Sequence[Report]) -> str:
    """Return the reports as plain text, without control characters and without commands for a CI system."""
    return "\n\n".join("\n".join(map(visible, lines_of(report))) for report in reports)


def lines_of(report: Report) -> Iterator[str]:
    """Yield the lines about one report, the most important first: verdict, mistakes, exception, inputs."""
    yield _("{name}: {verdict}", name=titled(report), verdict=verdict(report))
    if credit := credit_in_words(report):
        yield credit
    if report.outcome is Outcome.NOT_STARTED:
        yield not_started(report)
    if report.outcome is Outcome.ERROR:
        yield next_step(report)
    yield from said_first(report)
    for finding in report.findings[:FINDINGS]:
        yield from finding_lines(finding)
    yield from diagnosis_lines(report)
    check = crash_of(report)
    if check is not None and check.raised is not None:
        yield from raised_lines(check.raised)
    yield from map(one_line, report.limits)
    yield from filter(None, (search_in_words(report), deaths_in_words(report), course_in_words(report)))
    if report.seed:
        yield seed_in_words(report.seed)


def finding_lines(finding: Finding) -> Iterator[str]:
    """Yield the rule and the place of a finding, its sentence, and the source with a caret."""
    where = f"{finding.line}:{finding.column} " if finding.line else ""
    first, *source = bounded(finding.text, LINES).split("\n")
    yield f"{where}{_(': ').join((word_of(finding.rule), first))}"
    yield from (f"  {line}" for line in source)


def diagnosis_lines(report: Report) -> Iterator[str]:
    """Yield each mistake with its text and its places, the claims that remain open, and the first wrong step."""
    found = diagnosis_of(report)
    for mistake in mistakes_of(found) if found is not None else ():
        yield _(": ").join(filter(None, (mistake.name, one_line(mistake.says))))
        yield from (f"  {line}" for spot in mistake.spots[:SPOTS] for line in pointed_at(spot))
    if found is not None and (reach := reach_of(found, report.checks)):
        yield reach
    yield from (_("not explained: {claim}", claim=claim) for claim in left_open(report))
    if (step := step_of(report)) is not None:
        yield _("The first step that goes wrong: ") + one_line(step.says)
        yield from (f"  {line}" for line in pointed_at(step.spot))


def raised_lines(raised: Raised) -> Iterator[str]:
    """Yield an exception, the line that raised it, and advice."""
    yield from bounded(raised.said, LINES).split("\n")
    if raised.line and raised.text:
        yield from (f"  {line}" for line in pointed_at(raised_at(raised)))
    if raised.advice:
        yield one_line(raised.advice)
