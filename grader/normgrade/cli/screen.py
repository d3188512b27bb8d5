"""The screen of `normgrade watch`: the keys, then the report on one screen or a view: help, all differences, the exercises. It scrolls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.console import Console, ConsoleDimensions, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from normgrade.cli.listing import SCORES_SHOWN
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import PUBLIC_SEED
from normgrade.language import N_, _, n_
from normgrade.language.errors import UsageError
from normgrade.learner.standing import Record, records
from normgrade.learner.watching import Watching
from normgrade.learner.workspace import Workspace
from normgrade.report.render import VERBOSE, Detail
from normgrade.report.render.terminal import WIDEST, OneScreen
from normgrade.report.render.whole import STYLES, course_lines, failure_lines
from normgrade.report.render.wording import MARKS, grouped, losses_in_words, not_started
from normgrade.report.report import Outcome, Report

PENDING = "·"  # the mark of a check that has not ended
DETAIL = Detail(claims=1, cases=1, differences=2, more="d")
KEYS = {  # in their order on the screen; the least important ones are left out if there is no room
    N_("n next"): 6,
    N_("p back"): 1,
    N_("l list"): 4,
    N_("h hint"): 8,
    N_("d differences"): 5,
    N_("t try again"): 2,
    N_("? help"): 10,
    N_("q quit"): 9,
}

HELP = {
    "n": N_("go to the next exercise"),
    "p": N_("go back to the previous exercise"),
    "l": N_("list the exercises, and go to one of them"),
    "h": N_("give a hint"),
    "d": N_("show all differences"),
    "t": N_("grade it on other inputs"),
    "↑ ↓": N_("scroll; Space, Page Up, Page Down, Home and End scroll too"),
    "Esc": N_("go back to the verdict"),
    "q": N_("quit"),
}


class Window:
    """The lines of a content that fit on the screen, from line `top` on. Of several contents the first that fits is drawn, else the last.

    Drawing sets `deepest`, the last line that can be at the top, and moves `top` back if it is below that.
    """

    def __init__(self, contents: Sequence[RenderableType], top: int) -> None:
        self.contents = contents
        self.top = self.deepest = top

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = console.height - 1
        room = options.update(width=min(options.max_width, WIDEST), height=None)
        for content in self.contents:
            lines = console.render_lines(content, room, pad=False)
            if len(lines) <= height:
                break
        self.deepest = max(0, len(lines) - height)
        self.top = max(0, min(self.top, self.deepest))
        for line in lines[self.top : self.top + height]:
            yield from line
            yield Segment.line()
        if (below := len(lines) - self.top - height) > 0:
            yield Segment(n_("▼ {n} more line: arrows, space", "▼ {n} more lines: arrows, space", below))


# The views


class View:
    """A view. `key` opens and closes it; Esc closes it, too.

    After a key, it may be `closed`, and `watching` may be another exercise.
    """

    key: ClassVar[str]

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self.closed = False

    def content(self, rows: int) -> RenderableType:
        """Return the content, for so many rows."""
        raise NotImplementedError

    def press(self, key: str) -> bool:
        """Handle a key, and return if the view has a use for it."""
        return False


class Help(View):
    """All keys in words."""

    key = "?"

    def content(self, rows: int) -> RenderableType:
        table = Table.grid(padding=(0, 3, 0, 0))
        for key, words in HELP.items():
            table.add_row(Text(key, style="bold", no_wrap=True), Text(_(words)))
        return table


class Differences(View):
    """All differences of the failing claims of which the course reveals any details."""

    key = "d"

    def content(self, rows: int) -> RenderableType:
        report = self.watching.report
        failed = [check for check in report.checks if check.outcome in (Outcome.FAILED, Outcome.ERROR)] if report is not None else []
        told = grouped([check for check in failed if check.differences or check.message.strip() or check.stdout.strip()])
        lines = [line for cases in told for line in failure_lines(cases, with_hint=False, detail=VERBOSE)]
        return Group(*lines) if lines else Text(_("There is nothing to show."))


class Listing(View):
    """The exercises with the learner's standing. Arrows move the mark, and Enter goes to the marked exercise."""

    key = "l"

    def __init__(self, watching: Watching) -> None:
        super().__init__(watching)
        try:
            self.records: Sequence[Record] = records(watching.course, Workspace.find())
        except UsageError as error:
            self.records, watching.note = (), str(error)
        self.marked = next((row for row, record in enumerate(self.records) if record.exercise == watching.exercise), 0)

    def content(self, rows: int) -> RenderableType:
        rows = max(rows - 1, 1)
        first = max(0, min(self.marked - rows // 2, len(self.records) - rows))
        table = Table.grid(padding=(0, 2, 0, 0))
        for row, record in enumerate(self.records[first : first + rows], first):
            marked = row == self.marked
            exercise = record.exercise
            cells = "▶" if marked else "", exercise.slug, _("level {level}", level=exercise.level), record.standing
            table.add_row(*(Text(cell, no_wrap=True) for cell in cells), style="reverse" if marked else "green" if record.passed else "")
        passed = sum(record.passed for record in self.records)
        said = _("{passed} of {total} passed", passed=passed, total=len(self.records))
        return Group(Text(_("{said} · ↑ ↓ choose, Enter open, l close", said=said), style="dim"), table)

    def press(self, key: str) -> bool:
        steps = {"up": -1, "down": 1, "page up": -10, "page down": 10, "home": -len(self.records), "end": len(self.records)}
        if key == "enter" and self.records:
            self.closed = True
            exercise = self.records[self.marked].exercise
            self.watching = self.watching if exercise == self.watching.exercise else self.watching.at(exercise)
        elif key in steps:
            self.marked = max(0, min(self.marked + steps[key], len(self.records) - 1))
        return key == "enter" or key in steps


# The verdict


def screens(watching: Watching, size: ConsoleDimensions, view: View | None = None) -> Sequence[Group]:
    """Return the ways to draw the screen, the best first: with a line for each claim, and without."""
    keys = Text(keys_in(min(size.width, WIDEST)), style="dim", no_wrap=True)
    if view is not None:
        return [Group(keys, view.content(size.height - 3))]
    top = keys, *note(watching)
    return [Group(*top, *verdict(watching, size.height - len(top) - 1, in_lines)) for in_lines in (True, False)]


def keys_in(width: int) -> str:
    """Return the most important keys, as many as fit in a line."""
    left = dict(KEYS)
    while cell_len(said := " · ".join(map(_, left))) > width and len(left) > 1:
        del left[min(left, key=KEYS.__getitem__)]
    return said


def note(watching: Watching) -> Iterator[Text]:
    if watching.note:
        yield Text(watching.note, style="yellow")


def verdict(watching: Watching, rows: int, in_lines: bool) -> Iterator[RenderableType]:
    """Yield the report from top to bottom. `in_lines` adds a line for each claim."""
    report = watching.report
    if report is None:
        name = watching.watched.path.name
        said = watching.doing or _("{file}: grading …", file=name)
        yield Text(said if watching.grading else _("waiting for {file}", file=name))
    elif report.outcome is Outcome.NOT_STARTED:
        yield Text(not_started(report))
        yield from course_lines(report)
    else:
        yield OneScreen(report, DETAIL, rows, [*news(watching, report)])
    if in_lines:
        yield in_place(watching)
    elif report is None or report.outcome is Outcome.PASSED:  # one that failed shows its own marks
        yield in_a_row(watching)
    if report is not None:
        yield from after(watching, report)


def after(watching: Watching, report: Report) -> Iterator[Text]:
    """Yield the summary and the next step after a pass, once they are known, and the losses if the walls are weak."""
    if report.outcome is Outcome.PASSED and not watching.grading:
        yield from map(Text, watching.afterwards)
        yield Text(passed(watching.following), style="bold green")
    yield from (Text(line, style="dim") for line in losses_in_words([report]))


def news(watching: Watching, report: Report) -> Iterator[Text]:
    """Yield the lines below the verdict: the step that takes long, the change since the last save, and the seed of unusual inputs."""
    if watching.grading:
        yield Text(watching.doing or _("grading …"), style="dim")
    if watching.changed:
        scores = _(" · last scores: {scores}", scores=" ".join(map(str, watching.scores[-SCORES_SHOWN:])))
        yield Text.assemble((watching.changed, "bold"), (scores, "dim"), no_wrap=True, overflow="ellipsis")
    if report.seed != PUBLIC_SEED:
        said = _("These inputs have seed {seed}. The next save uses the usual inputs.", seed=report.seed)
        yield Text(said, style="yellow")


def passed(following: Exercise | None) -> str:
    if following is None:
        return _("Passed. All other exercises have passed too.")
    return _("Passed. Press n to continue with {slug}.", slug=following.slug)


# The checks


def in_place(watching: Watching) -> Table:
    """Return a table with one line for each claim."""
    table = Table.grid(padding=(0, 1, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for claim, names in claims(watching) if watching.checks else ():
        table.add_row(marks(watching, names), Text(claim))
    return table


def in_a_row(watching: Watching) -> Text:
    """Return one mark for each check."""
    return Text(" ").join(marks(watching, names) for _claim, names in claims(watching) if watching.checks)


def claims(watching: Watching) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Return every claim of the suite, with the names of its checks."""
    return tuple(watching.grader.suites[watching.exercise.slug].claims.items())


def marks(watching: Watching, names: Sequence[str]) -> Text:
    """Return a mark for the outcome of each of these checks; a dot for one that has not ended."""
    found = [watching.checks.get(name) for name in names]
    return Text.assemble(*((MARKS[each.shown_as], STYLES[each.shown_as]) if each else (PENDING, "dim") for each in found))
