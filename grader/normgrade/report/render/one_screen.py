"""A report on one screen of a terminal: verdict, diagnosis with lines of the submission, one example, the claims, the next step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from normgrade.language import _, n_
from normgrade.report.render.detail import Detail
from normgrade.report.render.summary import (
    CUT,
    Named,
    claims_without_more,
    cost_in_words,
    crash_of,
    diagnosis_of,
    example_of,
    in_short,
    in_vain,
    left_open,
    mistakes_of,
    next_commands,
    not_tried,
    reach_of,
    step_of,
    strip_of,
    verdict,
)
from normgrade.report.render.whole import STYLES, Pointed, course_lines, finding_lines, indented
from normgrade.report.render.wording import (
    CLAIMS,
    MARKS,
    bounded,
    deaths_in_words,
    next_step,
    one_line,
    said_first,
    sandbox_in_word,
    search_in_words,
    word_of,
)
from normgrade.report.report import SOME_INPUTS, Outcome, Raised, Report, Spot

HEIGHT = 22  # lines: on a terminal of 24, the command and the next prompt stay in sight
FULL_WIDTH = 80  # columns; a narrower screen may be a little longer


@dataclass(frozen=True, slots=True)
class Room:
    """The amount of text that is shown.

    whole: true for the whole text of each mistake, false for only its first sentence.
    terse: true if a mistake has no text when its line and remedy are shown.
    spots: the number of lines of the submission that are shown.
    mistakes, names: the number of mistakes that are explained, and of further ones that are named; the others are counted.
    opened: the number of unexplained claims that are shown; the others are counted.
    findings, lines: the number of findings that are shown, and of lines of each.
    limits: the number of limits that are shown.
    numbers: true if an example is shown beside a crash.
    printed: the number of lines of the submission's output.
    """

    whole: bool = False
    terse: bool = False
    spots: int = 3
    mistakes: int = 100
    names: int = 100
    opened: int = 1
    findings: int = 3
    lines: int = 20
    limits: int = 4
    numbers: bool = True
    printed: int = 0


ROOMS = (  # the roomiest first
    Room(whole=True, opened=2, printed=3),
    Room(whole=True, printed=1),
    Room(printed=1),
    Room(),
    Room(terse=True, findings=2),
    Room(terse=True, opened=0, findings=1, lines=2, limits=2),
    *(
        Room(terse=True, spots=spots, mistakes=mistakes, opened=0, findings=1, lines=2, limits=1, numbers=False)
        for mistakes, spots in ((4, 3), (100, 2), (4, 2), (3, 3), (3, 2), (3, 1), (2, 2), (2, 1), (2, 0), (1, 1), (1, 0))
    ),
    Room(terse=True, spots=1, mistakes=1, names=3, opened=0, findings=1, lines=1, limits=1, numbers=False),
    Room(terse=True, spots=0, mistakes=1, names=1, opened=0, findings=1, lines=1, limits=1, numbers=False),
)


class OneScreen:
    """A report in as many words as fit on one screen. `news` stands below the verdict."""

    def __init__(self, report: Report, detail: Detail, height: int = HEIGHT, news: Sequence[RenderableType] = ()) -> None:
        self.report = report
        self.detail = detail
        self.height = height
        self.news = news

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = self.height + max(0, FULL_WIDTH - options.max_width) // 4
        for room in ROOMS:
            lines = console.render_lines(Group(*parts(self.report, self.detail, room, self.news)), options.update(height=None), pad=False)
            if len(lines) <= height:
                break
        for line in lines:
            yield from line
            yield Segment.line()


class Shortened:
    """The first lines of a content; the last of them ends in an ellipsis if more are left out."""

    def __init__(self, content: RenderableType, height: int) -> None:
        self.content = content
        self.height = height

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self.content, options.update(height=None, width=max(options.max_width - 2, 1)), pad=False)
        for number, line in enumerate(lines[: self.height], 1):
            yield from line
            if number == self.height < len(lines):
                yield Segment(" …")
            yield Segment.line()


def parts(report: Report, detail: Detail, room: Room, news: Sequence[RenderableType] = ()) -> Iterator[RenderableType]:
    """Yield the sections of the screen, with an empty line between two of them."""
    yield verdict_line(report)
    yield from map(Text, said_first(report))
    yield from course_lines(report)
    yield from news
    sections = (findings(report, room), crash(report, room), diagnosis(report, room), example(report, room), claims(report, detail))
    for section in sections:
        if lines := list(section):
            yield Text()
            yield from lines


def verdict_line(report: Report) -> RenderableType:
    """Return the file, the points, the outcome, and the walls around the submission."""
    sandbox = _("sandbox: {tier}", tier=sandbox_in_word(report))
    exercise, submission = one_line(report.exercise), one_line(report.submission)
    name = submission if PurePath(submission).stem == exercise else f"{exercise} · {submission}"
    pieces = (name, "bold"), (verdict(report), STYLES[report.outcome]), (f"({sandbox})", "dim")
    return InARow([Text(words, style=style) for words, style in pieces], "  ")


def findings(report: Report, room: Room) -> Iterator[RenderableType]:
    """Yield the findings of inspection, with their lines."""
    for finding in report.findings[: room.findings]:
        yield finding_lines(finding) if room.lines > 2 else Shortened(finding_lines(finding), room.lines)
    if (more := len(report.findings) - room.findings) > 0:
        yield Text(n_("and {n} more finding", "and {n} more findings", more), style="dim")


def crash(report: Report, room: Room) -> Iterator[RenderableType]:
    """Yield the exception as Python tells it, the line that raised it, the call, and advice."""
    check = crash_of(report)
    if check is None or check.raised is None:
        yield from limits(report, room)
        return
    yield from raised_lines(check.raised)
    if check.call:
        yield indented(Text(_("The call: {call}", call=one_line(check.call)), style="dim"))
    yield from limits(report, room)


def raised_lines(raised: Raised) -> Iterator[RenderableType]:
    """Yield an exception, the learner's line with a caret, and advice; of a long message only the first sentence, after the advice."""
    said, advice = in_short(raised.said), [Text(one_line(raised.advice))] if raised.advice else []
    cut = said.endswith(CUT)
    yield from advice if cut else ()
    yield Text(said, style="bold")
    if raised.line and raised.text:
        yield indented(Pointed(Spot("", raised.line, max(raised.column, 1), raised.width, raised.text)))
    elif raised.line:
        yield indented(Text(_("line {line}", line=raised.line)))
    yield from () if cut else map(indented, advice)


def limits(report: Report, room: Room) -> Iterator[RenderableType]:
    """Yield for which inputs the submission works, and for which it raises an exception, unless a list of mistakes tells it."""
    diagnosis = diagnosis_of(report)
    if diagnosis is None or len(diagnosis.mistakes) == 1 or SOME_INPUTS not in diagnosis.mistakes:
        yield from (Text(one_line(limit)) for limit in report.limits[: room.limits])


def diagnosis(report: Report, room: Room) -> Iterator[RenderableType]:
    """Yield the names of the mistakes, their explanations and remedies, the learner's lines, and the unexplained claims."""
    found = diagnosis_of(report)
    if found is not None:
        named = mistakes_of(found)
        name = named[0].name if len(named) == 1 else n_("{n} mistake", "{n} mistakes", len(named))
        yield Text.assemble((name, "bold yellow"), (f"  {reach_of(found, report.checks)}{cost_in_words(report)}", "dim"))
        yield from one_mistake(named[0], room) if len(named) == 1 else several(named, room)
    if (step := step_of(report)) is not None:
        yield Text.assemble((_("The first step that goes wrong: "), "bold"), one_line(step.says))
        yield indented(Pointed(step.spot))
    opened = left_open(report)
    yield from (Text(_("not explained: {claim}", claim=claim), style="dim") for claim in opened[: room.opened])
    if more := len(opened[room.opened :]):
        further = n_("not explained: {n} more claim", "not explained: {n} more claims", more)
        yield Text(further if room.opened else n_("not explained: {n} claim", "not explained: {n} claims", more), style="dim")
    if state := search_in_words(report):
        yield Text(state, style="dim")
    if died := deaths_in_words(report):
        yield Text(died, style="yellow")


def one_mistake(mistake: Named, room: Room) -> Iterator[RenderableType]:
    """Yield the text of one mistake, and the lines that have it."""
    yield indented(Text(bounded(mistake.says, 6) if room.whole else one_line(mistake.in_short)))
    yield from (indented(Pointed(spot)) for spot in mistake.spots[: room.spots])


def several(named: Sequence[Named], room: Room) -> Iterator[RenderableType]:
    """Yield several mistakes in turn; if the line of one is not shown, its number is given."""
    left = room.spots
    for number, mistake in enumerate(named[: room.mistakes], 1):
        spots = mistake.spots[:1] if left > 0 else ()
        where = "" if spots or not mistake.spots else _(" (line {line})", line=mistake.spots[0].line)
        says = bounded(mistake.says, 6) if room.whole else one_line(mistake.in_short)
        if room.terse and any(spot.remedy for spot in spots):
            says = ""
        yield Text.assemble(f"{number}. ", (mistake.name, "bold"), where, f"{_(': ')}{says}" if says else "")
        yield from (indented(Pointed(spot), 3) for spot in spots)
        left -= len(spots)
    if rest := named[room.mistakes :]:
        more = [_("{n} more", n=len(rest) - room.names)] if len(rest) > room.names else []
        yield Text(_("and {names}", names=_(", ").join([*map(with_line, rest[: room.names]), *more])))


def with_line(mistake: Named) -> str:
    return mistake.name + (_(" (line {line})", line=mistake.spots[0].line) if mistake.spots else "")


def example(report: Report, room: Room) -> Iterator[RenderableType]:
    """Yield one failure in numbers, and the output of the submission. There are no numbers if a crash has told more."""
    found = example_of(report)
    if found is not None and (crash_of(report) is None or (diagnosis_of(report) is not None and room.numbers)):
        if found.claim:
            yield Text.assemble((f"{MARKS[found.outcome]} ", STYLES[found.outcome]), (found.claim, "bold"))
        yield Text(_(": ").join(filter(None, (found.call, bounded(found.found, 1, 300)))))
        if found.likeness:
            yield indented(Text(found.likeness, style="yellow"))
        if found.hint:
            yield Text.assemble((_("Hint: "), "bold"), found.hint)
    yield from failing(report)
    stdout = next((check.stdout for check in report.checks if check.stdout.strip()), "")
    if stdout and room.printed:
        yield Text(_("your code printed:"), style="dim")
        yield indented(Text(bounded(stdout, room.printed), no_wrap=True, overflow="ellipsis"))


def failing(report: Report) -> Iterator[RenderableType]:
    """Yield the claims that fail if no more is shown of them."""
    shown = claims_without_more(report)
    for claim in shown[:CLAIMS]:
        yield Text.assemble((f"{MARKS[Outcome.FAILED]} ", STYLES[Outcome.FAILED]), claim)
    if more := len(shown[CLAIMS:]):
        yield Text(n_("and {n} more claim", "and {n} more claims", more), style="dim")


def claims(report: Report, detail: Detail) -> Iterator[RenderableType]:
    """Yield the outcome of every claim, grouped by kind, and the next command."""
    if report.checks and report.outcome is not Outcome.PASSED:
        yield InARow(strip(report), "  ")
    yield from (Text(said, style="dim") for said in (in_vain(report), not_tried(report)) if said)
    if detail.advice:
        yield from next_line(report, detail.more)


def next_line(report: Report, more: str) -> Iterator[RenderableType]:
    """Yield the next step: commands to type, or advice if the grader could not tell."""
    if report.outcome is Outcome.ERROR:
        yield Text(next_step(report))
    elif commands := next_commands(report, more):
        first, *rest = map(Text, commands)
        yield InARow([Text(_("Next: ")) + first, *rest], " · ")


def strip(report: Report) -> list[Text]:
    """Return one mark for each claim, by its kind."""
    return [
        Text.assemble((f"{word_of(kind)} ", "dim"), *((MARKS[outcome], STYLES[outcome]) for outcome in outcomes))
        for kind, outcomes in strip_of(report).items()
    ]


class InARow:
    """Pieces one after the other, on as many lines as needed. A line breaks only between two pieces, unless one is wider than the line."""

    def __init__(self, pieces: Sequence[Text], separator: str) -> None:
        self.pieces = pieces
        self.separator = separator

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text()
        for piece in self.pieces:
            if line and line.cell_len + len(self.separator) + piece.cell_len > options.max_width:
                yield line
                line = Text()
            line.append(self.separator if line else "").append_text(piece)
        yield line
