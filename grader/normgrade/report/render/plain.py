"""A report as plain lines, for systems that wrap text themselves and show it in a fixed pitch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.language import _
from normgrade.language.visible import visible
from normgrade.report.render.outline import Block, Crash, Fault, Heading, Mistake, Said, fault, outline
from normgrade.report.render.summary import verdict
from normgrade.report.render.wording import course_in_words, credit_in_words, one_line, pointed_at, seed_in_words, titled
from normgrade.report.report import Finding, Report, Spot, WrongStep


def plain(reports: Sequence[Report]) -> str:
    """Return the reports as plain text, without control characters and without commands for a CI system."""
    return "\n\n".join("\n".join(map(visible, lines_of(report))) for report in reports)


def lines_of(report: Report) -> Iterator[str]:
    """Yield the lines about one report, the most important first: verdict, findings, exception, mistakes."""
    told = outline(report)
    yield _("{name}: {verdict}", name=titled(report), verdict=verdict(report))
    yield from filter(None, (credit_in_words(report), told.next.says))
    for block in told.said + told.findings + told.crash + told.limits + told.diagnosis + told.traces:
        yield from painted(block)
    yield from filter(None, (course_in_words(report), seed_in_words(report.seed) if report.seed else ""))


def painted(block: Block) -> Iterator[str]:
    """Yield the lines of a block."""
    match block:
        case Said(text):
            yield text
        case Fault(rule, _line, _column, text, source):
            yield f"{block.where}{_(': ').join((rule, text))}"
            yield from (f"  {line}" for line in source.split("\n") if source)
        case Crash(said, spot, advice):
            yield said
            yield from code(spot) if spot.text else ()
            yield from filter(None, (advice,))
        case Heading(name, reach):
            yield " ".join(filter(None, (name, reach)))
        case Mistake(number, name, says, spots):
            yield f"{number}. {name}{_(': ')}{one_line(says)}" if number else one_line(says)
            yield from (line for spot in spots for line in code(spot))
        case WrongStep(says, spot):
            yield _("The first step that goes wrong: ") + one_line(says)
            yield from code(spot)


def code(spot: Spot) -> Iterator[str]:
    """Yield the learner's line with a caret."""
    return (f"  {line}" for line in pointed_at(spot))


def finding_lines(finding: Finding) -> Iterator[str]:
    """Yield the rule and the place of a finding, its sentence, and the source with a caret."""
    return painted(fault(finding))
