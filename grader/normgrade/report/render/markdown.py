"""Reports as short Markdown, for systems that show feedback as text: the points, the mistake with its lines, and the claims that fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from normgrade.language import _, n_
from normgrade.language.visible import disarmed
from normgrade.report.render.html import NO_HEAD, Head
from normgrade.report.render.outline import Block, Crash, Fault, Mistake, Said, outline
from normgrade.report.render.summary import example_of, failing_claims, verdict
from normgrade.report.render.wording import MARKS, credit_in_words, one_line
from normgrade.report.report import Outcome, Report, WrongStep

GENERATED = "<!-- normgrade -->\n"  # the first line, by which normgrade knows its own files again
CLAIMS = 8  # that fail, named
CHARACTERS = 200  # of a line of code
MOST = 800  # characters of any other text
SPECIAL = re.compile(r"[\\`*_\[\]{}|~$#!@]|:(?=//)|(?<=www)\.")  # signs of structure, and of addresses that become links
BEGINS = re.compile(r"^(\d*)([-+=:.)])")  # a list, an underline or a definition
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render_markdown(reports: Sequence[Report], head: Head = NO_HEAD) -> str:
    """Return the reports, below a title and sentences if there are any. All texts are escaped for Markdown and for HTML."""
    above = [f"# {inert(head.title)}"] if head.title else []
    paragraphs = [*above, *map(prose, head.sentences), *(part for report in reports for part in parts(report))]
    return disarmed(GENERATED + "\n" + "\n\n".join(paragraphs) + "\n")


def parts(report: Report) -> Iterator[str]:
    """Yield the paragraphs about a report."""
    told = outline(report)
    yield f"## {MARKS[report.outcome]} {inert(report.exercise)}: {inert(verdict(report))}"
    if credit := credit_in_words(report):
        yield prose(credit)
    for block in told.said + told.findings + told.crash + told.limits + told.diagnosis + told.traces:
        yield from painted(block)
    if report.outcome is not Outcome.PASSED:
        yield from claims(report)


def painted(block: Block) -> Iterator[str]:
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


def cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[:characters]} …"
