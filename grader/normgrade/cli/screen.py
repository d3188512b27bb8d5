"""The screen of `normgrade watch`: the checks, then the diagnosis and the first failure; it scrolls where that is too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from normgrade.cli.prompt import folded, rendered
from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.language import _, n_
from normgrade.learner.watch_session import Watching
from normgrade.report.render.cases import grouped
from normgrade.report.render.detail import VERBOSE, Detail
from normgrade.report.render.whole import STYLES, course_lines, failures, finding_lines, header, panel_of, score_line
from normgrade.report.render.wording import MARKS, deaths_in_words, losses_in_words, not_started, search_stopped
from normgrade.report.report import Outcome, Report

TALL = 36  # lines; so tall a screen has room for one line per claim
SCORES = 10  # the last ones
PENDING = "·"  # the mark of a check that has not ended
FIRST = Detail(claims=1, cases=1, differences=2, more="d")


class Window:
    """As many lines of a content as the screen has, from line `top` on. Drawing moves `top` back where the content is shorter.

    Of several contents the first that fits is drawn, else the last.
    """

    def __init__(self, contents: Sequence[RenderableType], top: int) -> None:
        self.contents = contents
        self.top = top

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = console.height - 1
        for content in self.contents:
            lines = console.render_lines(content, options.update(height=None), pad=False)
            if len(lines) <= height:
                break
        self.top = max(0, min(self.top, len(lines) - height))
        for line in lines[self.top : self.top + height]:
            yield from line
            yield Segment.line()
        if (below := len(lines) - self.top - height) > 0:
            yield Segment(n_("▼ {n} more line: arrows, space", "▼ {n} more lines: arrows, space", below))


def screens(watching: Watching, height: int) -> Sequence[Group]:
    """The ways to draw the screen, the best first: with one line per claim and, unless the screen is tall, with one mark per check."""
    ways = (True,) if height >= TALL else (True, False)
    return [Group(*parts(watching, tall)) for tall in ways]


def parts(watching: Watching, tall: bool) -> Iterator[RenderableType]:
    """The parts of the screen from top to bottom. `tall` has one line per claim, else there is one mark per check."""
    report = watching.report
    yield Text(_("n next exercise · p back · h hint · s prompt · d all differences · q quit"), style="dim")
    if watching.with_prompt:
        yield rendered(folded(read_text(watching.exercise.prompt), watching.exercise.slug))
        return
    if watching.note:
        yield Text(watching.note, style="yellow")
    if watching.checks:
        yield in_place(watching) if tall else in_a_row(watching)
    if report is None:
        name = watching.watched.path.name
        yield Text(_("{file}: grading …", file=name) if watching.grading else _("waiting for {file}", file=name))
        return
    if report.outcome is Outcome.NOT_STARTED:
        yield Text(not_started(report))
        yield from course_lines(report)
        return
    yield header(report)
    yield from course_lines(report)
    yield verdict(watching, report)
    if died := deaths_in_words(report):
        yield Text(died, style="yellow")
    if report.outcome is Outcome.PASSED:
        yield Text(passed(watching.following), style="bold green")
    yield from findings_and_failures(report, VERBOSE if watching.all_differences else FIRST)
    yield from (Text(line, style="dim") for line in losses_in_words([report]))


def verdict(watching: Watching, report: Report) -> Text:
    """The score, with the scores before it."""
    if watching.grading:
        return Text(_("grading …"), style="dim")
    said = score_line(report)
    if len(watching.scores) > 1:
        said.append(_(" · last scores: {scores}", scores=" ".join(map(str, watching.scores[-SCORES:]))), style="dim")
    return said


def passed(following: Exercise | None) -> str:
    return _("Passed, and everything else has.") if following is None else _("Passed: n goes on with {slug}.", slug=following.slug)


def findings_and_failures(report: Report, detail: Detail) -> Iterator[RenderableType]:
    """Findings, the diagnosis, and the failed checks in as much detail as asked for."""
    yield from map(finding_lines, report.findings)
    if report.diagnoses:
        yield panel_of(report.diagnoses if detail.alternatives else report.diagnoses[:1], report.checks)
    if stopped := search_stopped(report):
        yield Text(stopped, style="dim")
    yield from failures(report, grouped(report.checks), detail)


# The checks


def in_place(watching: Watching) -> Table:
    """One line for each claim."""
    table = Table.grid(padding=(0, 1, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for claim, names in claims(watching):
        table.add_row(marks(watching, names), Text(claim))
    return table


def in_a_row(watching: Watching) -> Text:
    """One mark for each check."""
    return Text(" ").join(marks(watching, names) for _claim, names in claims(watching))


def claims(watching: Watching) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Every claim of the suite, with the names of its checks."""
    return tuple(watching.grader.suites[watching.exercise.slug].claims.items())


def marks(watching: Watching, names: Sequence[str]) -> Text:
    """A mark for each of these checks, by how it ended; a dot for one that has not."""
    found = [watching.checks.get(name) for name in names]
    return Text.assemble(*((MARKS[each.outcome], STYLES[each.outcome]) if each else (PENDING, "dim") for each in found))
