"""Reports for people: one screen each, or everything.

All text from a submission or a suite is untrusted: it is made printable, it is never read as rich markup, and no line with it is a
command of a CI system.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import IO

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from normgrade.language import _, n_
from normgrade.language.visible import DOT, STEERS, disarmed, forgiving
from normgrade.report.render import QUIET, USUAL, Detail
from normgrade.report.render.outline import Outline, Room, outline
from normgrade.report.render.summary import Next, next_step, verdict
from normgrade.report.render.whole import STYLES, course_lines, outcome_cell, painted, whole_parts
from normgrade.report.render.wording import (
    LINES,
    MARKS,
    also_asked,
    course_in_words,
    grouped,
    losses_in_words,
    names_of,
    not_started,
    one_line,
    outcome_in_words,
    sandbox_in_word,
    score_in_words,
    search_in_words,
    seed_in_words,
    word_of,
)
from normgrade.report.render.wrapping import broken
from normgrade.report.report import Kind, Outcome, Report

WIDTH = 80  # if there is no terminal
WIDEST = 100  # longer lines are hard to read
HEIGHT = 22  # lines: on a terminal of 24, the command and the next prompt stay in sight; a narrower one may show a little more
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


class Screen(Console):
    """A console that breaks lines of Chinese. Characters that a terminal or a CI system would obey become dots; rich's own codes stay."""

    encoding = "utf-8"  # rich draws plainer boxes if a stream is ASCII; here the stream itself replaces characters

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        options = options or self.options
        if isinstance(renderable, str):
            renderable = self.render_str(renderable, highlight=options.highlight, markup=options.markup)
        if isinstance(renderable, Text):
            renderable = broken(renderable, options)
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=STEERS.sub(DOT, segment.text))

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Return the text to be written. Only here are the beginnings of lines final; rich has no public method for this step."""
        return disarmed(super()._render_buffer(buffer))


def open_console(file: IO[str] | None = None, to_stderr: bool = False) -> Console:
    """Return a console as wide as its terminal. Without a terminal it writes plain text, as wide as COLUMNS says or 80 columns wide."""
    forgiving(file or (sys.stderr if to_stderr else sys.stdout))
    console = Screen(file=file, stderr=to_stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        console.width = WIDTH
    return console


def render_text(reports: Sequence[Report], detail: Detail = USUAL, with_losses: bool = True) -> str:
    """Return the text that a terminal would show, without colours."""
    console = Screen(file=io.StringIO(), width=WIDTH, force_terminal=False, force_jupyter=False, color_system=None, legacy_windows=False)
    show(reports, console, detail, with_losses)
    assert isinstance(console.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


def show(reports: Sequence[Report], console: Console, detail: Detail = USUAL, with_losses: bool = True) -> None:
    """Print the reports, and then the harm that the weakest walls did not prevent."""
    for part in parts_of_all(reports, detail, with_losses):
        if detail == QUIET:
            console.print(part, soft_wrap=True)  # a line stays one
        else:
            console.print(part, width=min(console.width, WIDEST), crop=False)  # text that is not wrapped stays whole


def parts_of_all(reports: Sequence[Report], detail: Detail, with_losses: bool) -> Iterator[RenderableType]:
    if not reports:
        yield Text(_("Nothing was graded. Run `normgrade list` to see the exercises."))
    if detail == QUIET:
        yield from map(line_of, reports)
        return
    started = [report for report in reports if report.outcome is not Outcome.NOT_STARTED]
    for report in started:
        if detail.whole or len(started) == 1 or report.outcome is not Outcome.PASSED:
            yield from parts_of(report, detail)
            if len(reports) > 1:
                yield Text()
        else:
            yield line_of(report)
    yield from untouched([report for report in reports if report.outcome is Outcome.NOT_STARTED])
    if len(started) > 1:
        yield summary(started)
    yield from (Text(seed_in_words(seed)) for seed in dict.fromkeys(report.seed for report in reports) if seed)
    if with_losses:
        yield from (Text(line, style="dim") for line in losses_in_words(reports))


def parts_of(report: Report, detail: Detail = USUAL) -> Iterator[RenderableType]:
    """Yield the parts of one report: everything, or one screen. A report that proves an exercise has no diagnosis and no screen."""
    if detail.whole or any(check.kind is Kind.PROOF for check in report.checks):
        yield from whole_parts(report, detail)
        if detail.advice:
            yield from next_line(next_step(report, ""))
    else:
        yield OneScreen(report, detail)


def untouched(reports: Sequence[Report]) -> Iterator[RenderableType]:
    """Yield the next step for files that are not started: the first is named, the others are counted."""
    if not reports:
        return
    yield Text(not_started(reports[0]))
    yield from course_lines(reports[0])
    if more := len(reports) - 1:
        yield Text(
            n_(
                "{n} more exercise is not started. Run `normgrade list` to see it.",
                "{n} more exercises are not started. Run `normgrade list` to see them.",
                more,
            )
        )


def line_of(report: Report) -> Text:
    """Return one report in a line: the outcome and the diagnosis or findings."""
    found = " / ".join(map(names_of, report.diagnoses[:1])) or ", ".join(dict.fromkeys(word_of(each.rule) for each in report.findings))
    found = found or search_in_words(report)
    score, sandbox = score_in_words(report), _("sandbox: {tier}", tier=sandbox_in_word(report))
    seed = _("seed {seed}", seed=report.seed) if report.seed else ""
    died = n_("process died {n} time", "process died {n} times", len(report.deaths)) if report.deaths else ""
    outcome = _("; ").join([outcome_in_words(report), *also_asked(report)])
    parts = one_line(report.submission), score, outcome, one_line(found), died, sandbox, course_in_words(report), seed
    said = " · ".join(filter(None, parts))
    return Text.assemble((f"{MARKS[report.outcome]} ", STYLES[report.outcome]), (one_line(report.exercise), "bold"), f" · {said}")


def summary(reports: Sequence[Report]) -> Table:
    """Return a table with one row for every report, and the sum."""
    passed = sum(report.outcome is Outcome.PASSED for report in reports)
    points = f"{sum(report.earned for report in reports)}/{sum(report.possible for report in reports)}"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), header_style="dim", show_footer=True, footer_style="bold")
    table.add_column(_("outcome"), no_wrap=True)
    table.add_column(_("exercise"), footer=_("{passed} of {total} passed", passed=passed, total=len(reports)))
    table.add_column(_("submission"))
    table.add_column(_("points"), justify="right", no_wrap=True, footer=points)
    for report in reports:
        score = f"{report.earned}/{report.possible}"
        table.add_row(outcome_cell(report.outcome), Text(one_line(report.exercise)), Text(one_line(report.submission)), score)
    return table


# One screen


class OneScreen:
    """A report in as many words as fit on one screen. `news` stands below the verdict."""

    def __init__(self, report: Report, detail: Detail, height: int = HEIGHT, news: Sequence[RenderableType] = ()) -> None:
        self.report = report
        self.detail = detail
        self.height = height
        self.news = news

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = self.height + max(0, WIDTH - options.max_width) // 4
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
        yield InARow([*strip(report)], "  ")
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


def strip(report: Report) -> Iterator[Text]:
    """Yield one mark for each claim, by its kind."""
    cases = grouped(report.checks)
    for kind in dict.fromkeys(group.kind for group in cases):
        outcomes = [group.shown_as for group in cases if group.kind is kind]
        yield Text.assemble((f"{word_of(kind)} ", "dim"), *((MARKS[outcome], STYLES[outcome]) for outcome in outcomes))


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
