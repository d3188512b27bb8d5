"""The outline of a report, which every format for people shows: findings, exception, mistakes, one example, the next step.

Each part of it is a few blocks, whose texts are in words already. A format paints the blocks, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from normgrade.language import _, n_
from normgrade.report.render import EVERYTHING, USUAL
from normgrade.report.render.summary import (
    CUT,
    Example,
    Named,
    Next,
    claims_without_more,
    cost_in_words,
    crash_of,
    diagnosis_of,
    example_of,
    in_short,
    in_vain,
    left_open,
    mistakes_of,
    next_step,
    not_tried,
    reach_of,
    step_of,
)
from normgrade.report.render.wording import (
    LINES,
    bounded,
    deaths_in_words,
    names_of,
    not_started,
    one_line,
    said_first,
    search_in_words,
    word_of,
)
from normgrade.report.report import SOME_INPUTS, Finding, Outcome, Raised, Report, Spot, WrongStep

SAYS = 6  # lines of the text of a mistake
CLAIMS = USUAL.claims  # shown of those that fail without more
QUIET, WARNING, FAILING = "quiet", "warning", "failing"  # tones


# The blocks


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, in a tone: a quiet one, a warning, or a claim that fails."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding of inspection: its rule, its place, its sentence, and lines of the source with a caret. Line and column may be 0."""

    rule: str
    line: int
    column: int
    text: str
    source: str

    @property
    def where(self) -> str:
        return f"{self.line}:{self.column} " if self.line else ""


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception: its message, its line, advice, and the call. Of a long message, the advice is more worth than its beginning."""

    said: str
    spot: Spot
    advice: str
    call: str = ""

    @property
    def is_cut(self) -> bool:
        return self.said.endswith(CUT)


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of a diagnosis, the claims that it explains, and its cost."""

    name: str
    reach: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a diagnosis. `number` is 0 if it is the only one; `line` is that of a place which is not shown, or 0."""

    number: int
    name: str
    says: str
    spots: tuple[Spot, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Printed:
    """The output of the submission."""

    text: str


Block = Said | Fault | Crash | Heading | Mistake | WrongStep | Printed | Example


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a report, in the order in which they are told."""

    said: tuple[Block, ...]  # below the verdict
    findings: tuple[Block, ...]
    crash: tuple[Block, ...]
    limits: tuple[Block, ...]
    diagnosis: tuple[Block, ...]
    traces: tuple[Block, ...]  # of the search: the first wrong step, and what kept it from its end
    example: tuple[Block, ...]
    notes: tuple[Block, ...]  # on the claims
    next: Next


@dataclass(frozen=True, slots=True)
class Room:
    """The amount of text that is shown.

    whole: true for the whole text of each mistake, false for only its first sentence.
    terse: true if one of several mistakes has no text when its line and remedy are shown.
    spots, each: the number of lines of the submission that are shown, and of those for one of several mistakes.
    mistakes, names: the number of mistakes that are explained, and of further ones that are named; the others are counted.
    others: true if the other diagnoses are named.
    opened: the number of unexplained claims that are shown; the others are counted.
    findings, lines: the number of findings that are shown, and of lines on the screen that each may take.
    limits: the number of limits that are shown.
    numbers: true if an example is shown beside a crash.
    printed: the number of lines of the submission's output.
    """

    whole: bool = False
    terse: bool = False
    spots: int = 3
    each: int = 1
    mistakes: int = 100
    names: int = 100
    others: bool = False
    opened: int = 1
    findings: int = 3
    lines: int = LINES
    limits: int = 4
    numbers: bool = True
    printed: int = 0


WHOLE = Room(whole=True, spots=10, each=2, others=True, opened=3, findings=5, limits=100)
EVERY = replace(WHOLE, spots=EVERYTHING, each=EVERYTHING, opened=EVERYTHING, findings=EVERYTHING)


def outline(report: Report, room: Room = WHOLE, more: str = "") -> Outline:
    """Return the outline of a report, as far as there is room for it. `more` is the option or key that shows all claims."""
    untouched = [not_started(report)] if report.outcome is Outcome.NOT_STARTED else []
    return Outline(
        said=tuple(map(Said, [*untouched, *said_first(report)])),
        findings=tuple(findings(report, room)),
        crash=tuple(crash(report)),
        limits=tuple(limits(report, room)),
        diagnosis=tuple(diagnosis(report, room)),
        traces=tuple(traces(report)),
        example=tuple(example(report, room)),
        notes=tuple(Said(said, QUIET) for said in (in_vain(report), not_tried(report)) if said),
        next=next_step(report, more),
    )


# Its parts


def findings(report: Report, room: Room) -> Iterator[Block]:
    """Yield the findings of inspection, with their lines."""
    yield from map(fault, report.findings[: room.findings])
    if (more := len(report.findings) - room.findings) > 0:
        yield Said(n_("and {n} more finding", "and {n} more findings", more), QUIET)


def fault(finding: Finding) -> Fault:
    """Return the block about a finding."""
    text, *source = bounded(finding.text, LINES).split("\n")
    return Fault(word_of(finding.rule), finding.line, finding.column, text, "\n".join(source))


def crash(report: Report) -> Iterator[Block]:
    """Yield the exception as Python tells it, the line that raised it, the call, and advice."""
    check = crash_of(report)
    if check is not None and check.raised is not None:
        yield crash_in(check.raised, check.call)


def crash_in(raised: Raised, call: str = "") -> Crash:
    """Return the block about an exception; of a long message, it has only the first sentence."""
    return Crash(in_short(raised.said), raised_at(raised), one_line(raised.advice), one_line(call))


def raised_at(raised: Raised) -> Spot:
    """Return the place of an exception, as that of a mistake without a name."""
    return Spot("", raised.line, max(raised.column, 1), raised.width, raised.text)


def limits(report: Report, room: Room) -> Iterator[Block]:
    """Yield for which inputs the submission works, and for which it raises an exception, unless a list of mistakes tells it."""
    found = diagnosis_of(report)
    if found is None or len(found.mistakes) == 1 or SOME_INPUTS not in found.mistakes:
        yield from (Said(one_line(limit)) for limit in report.limits[: room.limits])


def diagnosis(report: Report, room: Room) -> Iterator[Block]:
    """Yield the names of the mistakes, their explanations and remedies, the learner's lines, and the unexplained claims."""
    found = diagnosis_of(report)
    if found is None:
        return
    named = mistakes_of(found)
    name = named[0].name if len(named) == 1 else n_("{n} mistake", "{n} mistakes", len(named))
    yield Heading(name, f"{reach_of(found, report.checks)}{cost_in_words(report)}")
    yield from mistakes(named, room)
    opened = left_open(report)
    yield from (Said(_("not explained: {claim}", claim=claim), QUIET) for claim in opened[: room.opened])
    if more := len(opened[room.opened :]):
        further = n_("not explained: {n} more claim", "not explained: {n} more claims", more)
        yield Said(further if room.opened else n_("not explained: {n} claim", "not explained: {n} claims", more), QUIET)
    yield from (Said(f"{_('or')} {names_of(other)}", QUIET) for other in report.diagnoses[1:] if room.others)


def mistakes(named: Sequence[Named], room: Room) -> Iterator[Block]:
    """Yield the mistakes in turn; if the line of one of several is not shown, its number is given."""
    alone, left = len(named) == 1, room.spots
    for number, mistake in enumerate(named[: room.mistakes], 1):
        spots = mistake.spots[: left if alone else min(left, room.each)]
        left -= len(spots)
        says = bounded(mistake.says, SAYS) if room.whole else one_line(mistake.in_short)
        if room.terse and not alone and any(spot.remedy for spot in spots):
            says = ""
        hidden = mistake.spots[0].line if mistake.spots and not spots else 0
        yield Mistake(0 if alone else number, mistake.name, says, spots, hidden)
    if rest := named[room.mistakes :]:
        more = [_("{n} more", n=len(rest) - room.names)] if len(rest) > room.names else []
        names = [each.name + on_line(each.spots[0].line if each.spots else 0) for each in rest[: room.names]]
        yield Said(_("and {names}", names=_(", ").join([*names, *more])))


def on_line(number: int) -> str:
    """Return the number of a line as it stands behind the name of a mistake; "" if there is none."""
    return _(" (line {line})", line=number) if number else ""


def traces(report: Report) -> Iterator[Block]:
    """Yield the first wrong step, if the search went on or was stopped, and how the process of the submission died."""
    if (step := step_of(report)) is not None:
        yield step
    if state := search_in_words(report):
        yield Said(state, QUIET)
    if died := deaths_in_words(report):
        yield Said(died, WARNING)


def example(report: Report, room: Room) -> Iterator[Block]:
    """Yield one failure in numbers, or the claims that fail, and the output. There are no numbers if a crash has told more."""
    found = example_of(report)
    if found is not None and (crash_of(report) is None or (diagnosis_of(report) is not None and room.numbers)):
        yield found
    shown = claims_without_more(report)
    yield from (Said(claim, FAILING) for claim in shown[:CLAIMS])
    if more := len(shown[CLAIMS:]):
        yield Said(n_("and {n} more claim", "and {n} more claims", more), QUIET)
    stdout = next((check.stdout for check in report.checks if check.stdout.strip()), "")
    if stdout and room.printed:
        yield Printed(bounded(stdout, room.printed))


# The beginning of a page


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a page, above its reports: its title, sentences, and a link to the page above it."""

    title: str = ""
    sentences: tuple[str, ...] = ()
    up: str = ""


NO_HEAD = Head()
