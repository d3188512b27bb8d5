"""Reports as text: as plain lines, for systems that show it in a fixed pitch, and as short Markdown, for those that show feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from normgrade.language import _, n_
from normgrade.language.visible import disarmed, visible
from normgrade.report.render.outline import NO_HEAD, Block, Crash, Fault, Head, Heading, Mistake, Said, fault, outline
from normgrade.report.render.summary import example_of, failing_claims, verdict
from normgrade.report.render.wording import MARKS, course_in_words, credit_in_words, cut, one_line, pointed_at, seed_in_words, titled
from normgrade.report.report import Finding, Outcome, Report, Spot, WrongStep


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
            yield from pointed(spot) if spot.text else ()
            yield from filter(None, (advice,))
        case Heading(name, reach):
            yield " ".join(filter(None, (name, reach)))
        case Mistake(number, name, says, spots):
            yield f"{number}. {name}{_(': ')}{one_line(says)}" if number else one_line(says)
            yield from (line for spot in spots for line in pointed(spot))
        case WrongStep(says, spot):
            yield _("The first step that goes wrong: ") + one_line(says)
            yield from pointed(spot)


def pointed(spot: Spot) -> Iterator[str]:
    """Yield the learner's line with a caret."""
    return (f"  {line}" for line in pointed_at(spot))


def finding_lines(finding: Finding) -> Iterator[str]:
    """Yield the rule and the place of a finding, its sentence, and the source with a caret."""
    return painted(fault(finding))


# Markdown: the points, the mistake with its lines, and the claims that fail

GENERATED = "<!-- normgrade -->\n"  # the first line, by which normgrade knows its own files again
CLAIMS = 8  # that fail, named on the page of a student or of the class
CHARACTERS = 200  # of a line of code
MOST = 800  # characters of any other text
SPECIAL = re.compile(r"[\\`*_\[\]{}|~$#!@]|:(?=//)|(?<=www)\.")  # signs of structure, and of addresses that become links
BEGINS = re.compile(r"^(\d*)([-+=:.)])")  # a list, an underline or a definition
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render_markdown(reports: Sequence[Report], head: Head = NO_HEAD) -> str:
    """Return the reports, below a title and sentences if there are any. All texts are escaped for Markdown and for HTML."""
    above = [f"# {inert(head.title)}"] if head.title else []
    paragraphs = [*above, *map(prose, head.sentences), *(part for report in reports for part in paragraphs_on(report))]
    return disarmed(GENERATED + "\n" + "\n\n".join(paragraphs) + "\n")


def paragraphs_on(report: Report) -> Iterator[str]:
    """Yield the paragraphs about a report."""
    told = outline(report)
    yield f"## {MARKS[report.outcome]} {inert(report.exercise)}: {inert(verdict(report))}"
    if credit := credit_in_words(report):
        yield prose(credit)
    for block in told.said + told.findings + told.crash + told.limits + told.diagnosis + told.traces:
        yield from paragraphs_of(block)
    if report.outcome is not Outcome.PASSED:
        yield from claims(report)


def paragraphs_of(block: Block) -> Iterator[str]:
    """Yield the paragraphs of a block."""
    match block:
        case Said(text):
            yield prose(text)
        case Fault(rule, line, _column, text):
            where = inert(_("line {line}", line=line)) if line else ""
            yield _(": ").join(filter(None, (f"**{rule}**", where, prose(text))))
        case Crash(said, spot, advice):
            yield f"**{inert(said)}**"
            yield from [line_of_code(spot.line, spot.text, advice)] if spot.line else []
        case Mistake(_number, name, says, spots):
            yield f"**{inert(name)}**: {prose(says)}"
            yield from (line_of_code(spot.line, spot.text, spot.remedy) for spot in spots)
        case WrongStep(says, spot):
            yield prose(_("The first step that goes wrong: ") + says)
            yield line_of_code(spot.line, spot.text, spot.remedy)


def claims(report: Report) -> Iterator[str]:
    """Yield an example, and the list of the claims that fail."""
    example = example_of(report)
    if example is not None and example.found:
        yield f"{code(example.call)}: {inert(example.found)}" if example.call else prose(example.found)
    failing = [*failing_claims(report.checks)]
    if failing:
        more = [n_("and {n} more claim", "and {n} more claims", len(failing) - CLAIMS)] if len(failing) > CLAIMS else []
        yield "\n".join(f"- {prose(claim)}" for claim in (*failing[:CLAIMS], *more))


def line_of_code(number: int, text: str, said: str) -> str:
    """Return a line of the learner's code with its number, and what is said of it."""
    return _(": ").join(filter(None, (_("line {line}", line=number), code(text), prose(said))))


def inert(text: str) -> str:
    """Return a text on one line that Markdown and HTML show as it is."""
    return escaped(cut(one_line(text), MOST))


def prose(text: str) -> str:
    """Return a text on one line, in which backticks enclose code."""
    pieces = cut(one_line(text), MOST).split("`")
    return "".join(code(piece) if number % 2 else escaped(piece) for number, piece in enumerate(pieces))


def escaped(text: str) -> str:
    return BEGINS.sub(r"\1\\\2", SPECIAL.sub(r"\\\g<0>", text).translate(ENTITIES))


def code(text: str) -> str:
    """Return a text on one line as code, between more backticks than it has in a row."""
    shown = cut(one_line(text), CHARACTERS)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence} {shown} {fence}" if "`" in shown else f"{fence}{shown}{fence}" if shown else ""
