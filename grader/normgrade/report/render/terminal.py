"""Reports for people: one screen each, or everything.

All text from a submission or a suite is untrusted: it is made printable, it is never read as rich markup, and no line with it is a
command of a CI system.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from normgrade.language import _, n_
from normgrade.language.visible import DOT, STEERS, disarmed, forgiving
from normgrade.report.render.detail import QUIET, USUAL, Detail
from normgrade.report.render.one_screen import OneScreen, next_line
from normgrade.report.render.summary import next_step
from normgrade.report.render.whole import STYLES, course_lines, outcome_cell, whole_parts
from normgrade.report.render.wording import (
    MARKS,
    also_asked,
    course_in_words,
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
    print_all(reports, console, detail, with_losses)
    assert isinstance(console.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


def show(reports: Sequence[Report], console: Console, detail: Detail = USUAL, with_losses: bool = True) -> None:
    """Print the reports, and then the harm that the weakest walls did not prevent."""
    print_all(reports, console, detail, with_losses)


def print_all(reports: Sequence[Report], console: Console, detail: Detail, with_losses: bool) -> None:
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
