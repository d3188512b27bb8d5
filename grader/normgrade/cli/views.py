"""The views of `normgrade watch` other than the verdict: help, the task, the exercises, all differences, a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from normgrade.cli.prompt import folded, rendered
from normgrade.course.files import read_text
from normgrade.language import N_, _
from normgrade.language.errors import UsageError
from normgrade.learner.standing import Record, records
from normgrade.learner.watch.watch_session import Watching
from normgrade.learner.workspace import Workspace
from normgrade.report.render.detail import VERBOSE
from normgrade.report.render.whole import failure_lines
from normgrade.report.render.wording import Cases, grouped
from normgrade.report.report import Outcome

HELP = {
    "n": N_("go to the next exercise"),
    "p": N_("go back to the previous exercise"),
    "l": N_("list the exercises, and go to one of them"),
    "h": N_("give a hint"),
    "s": N_("show the task"),
    "d": N_("show all differences, one claim per page"),
    "t": N_("grade it on other inputs"),
    "x": N_("restore the stub; your file is kept"),
    "↑ ↓": N_("scroll; Space, Page Up, Page Down, Home and End scroll too"),
    "Esc": N_("go back to the verdict"),
    "Ctrl-Z": N_("suspend until you run `fg` in the shell"),
    "q": N_("quit"),
}


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


class Task(View):
    """The prompt of the exercise."""

    key = "s"

    def content(self, rows: int) -> RenderableType:
        exercise = self.watching.exercise
        return rendered(folded(read_text(exercise.prompt), exercise.slug))


class Differences(View):
    """All differences, one failing claim on a page. Only the current page is rendered."""

    key = "d"

    def __init__(self, watching: Watching) -> None:
        super().__init__(watching)
        self.page = 0

    def content(self, rows: int) -> RenderableType:
        if not (pages := self.pages()):
            return Text(_("There is nothing to show."))
        self.page = min(self.page, len(pages) - 1)
        where = _("page {page} of {pages} · d or → next, ← previous, Esc close", page=self.page + 1, pages=len(pages))
        return Group(Text(where, style="dim"), *failure_lines(pages[self.page], with_hint=False, detail=VERBOSE))

    def pages(self) -> Sequence[Cases]:
        """Return the failing claims of which the course reveals any details."""
        report = self.watching.report
        failed = [check for check in report.checks if check.outcome in (Outcome.FAILED, Outcome.ERROR)] if report is not None else []
        return grouped([check for check in failed if check.differences or check.message.strip() or check.stdout.strip()])

    def press(self, key: str) -> bool:
        step = {"d": 1, "right": 1, "left": -1}.get(key, 0)
        if step == 0 or not 0 <= self.page + step < len(self.pages()):
            return key in ("left", "right")
        self.page += step
        return True


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


class Question(View):
    """A question before an action: y does it, any other key does not."""

    key = "x"

    def __init__(self, watching: Watching, question: str, do: Callable[[], None]) -> None:
        super().__init__(watching)
        self.question, self.do = question, do

    def content(self, rows: int) -> RenderableType:
        return Group(Text(self.question, style="bold yellow"), Text(_("y yes · any other key no")))

    def press(self, key: str) -> bool:
        self.closed = True
        if key == "y":
            self.do()
        return True
