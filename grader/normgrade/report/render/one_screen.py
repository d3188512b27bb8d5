"""A report on one screen of a terminal: its outline in as many words as fit, the claims, the next step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from normgrade.language import _
from normgrade.report.render.detail import Detail
from normgrade.report.render.outline import Outline, Room, outline
from normgrade.report.render.summary import Next, strip_of, verdict
from normgrade.report.render.whole import STYLES, course_lines, painted
from normgrade.report.render.wording import LINES, MARKS, one_line, sandbox_in_word, word_of
from normgrade.report.report import Outcome, Report

HEIGHT = 22  # lines: on a terminal of 24, the command and the next prompt stay in sight
FULL_WIDTH = 80  # columns; a narrower screen may be a little longer
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


def parts(report: Report, detail: Detail, room: Room, news: Sequence[RenderableType] = ()) -> Iterator[RenderableType]:
    """Yield the parts of the screen, with an empty line between two of them."""
    told = outline(report, room, detail.more)
    yield verdict_line(report)
    yield from painted(told.said)
    yield from course_lines(report)
    yield from news
    blocks = (told.crash + told.limits, told.diagnosis + told.traces, told.example)
    for part in (findings(told, room), *map(painted, blocks), claims(report, told, detail)):
        if lines := list(part):
            yield Text()
            yield from lines


def verdict_line(report: Report) -> RenderableType:
    """Return the file, the points, the outcome, and the walls around the submission."""
    sandbox = _("sandbox: {tier}", tier=sandbox_in_word(report))
    exercise, submission = one_line(report.exercise), one_line(report.submission)
    name = submission if PurePath(submission).stem == exercise else f"{exercise} · {submission}"
    pieces = (name, "bold"), (verdict(report), STYLES[report.outcome]), (f"({sandbox})", "dim")
    return InARow([Text(words, style=style) for words, style in pieces], "  ")


def findings(told: Outline, room: Room) -> Iterator[RenderableType]:
    """Yield the findings of inspection, each on as many lines as there is room for."""
    for block in told.findings:
        yield from painted([block]) if room.lines == LINES else [Shortened(Group(*painted([block])), room.lines)]


def claims(report: Report, told: Outline, detail: Detail) -> Iterator[RenderableType]:
    """Yield the outcome of every claim, grouped by kind, and the next step."""
    if report.checks and report.outcome is not Outcome.PASSED:
        yield InARow(strip(report), "  ")
    yield from painted(told.notes)
    if detail.advice:
        yield from next_line(told.next)


def next_line(step: Next) -> Iterator[RenderableType]:
    """Yield the next step: commands to type, or advice if the grader could not tell."""
    if step.says:
        yield Text(step.says)
    if step.commands:
        first, *rest = map(Text, step.commands)
        yield InARow([Text(_("Next: ")) + first, *rest], " · ")


def strip(report: Report) -> list[Text]:
    """Return one mark for each claim, by its kind."""
    return [
        Text.assemble((f"{word_of(kind)} ", "dim"), *((MARKS[outcome], STYLES[outcome]) for outcome in outcomes))
        for kind, outcomes in strip_of(report).items()
    ]


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
