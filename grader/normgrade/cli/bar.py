"""A progress bar for long work, and above it the results that are known already. Without a terminal, a log may have lines instead."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Event, Thread
from typing import TYPE_CHECKING

from normgrade.grading.grading_options import OnProgress, silent
from normgrade.language.visible import visible_name

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.progress import Progress


PAUSE_S = 60.0  # between two lines


@contextmanager
def progress(lines: bool = False) -> Iterator[OnProgress]:
    """Yield a function that shows progress as a bar on stderr, from its first call until the end of the block.

    If only stdout is a terminal, the bar is shown there. Without a terminal, nothing is shown, or with `lines` a line each minute.
    """
    on_terminal = sys.stderr.isatty() or sys.stdout.isatty()
    if not (on_terminal or lines):
        yield silent
        return
    bar = Bar() if on_terminal else Lines()
    try:
        yield bar
    finally:
        bar.stop()


class Lines:
    """A line on stderr each minute with the current step, for a log."""

    def __init__(self) -> None:
        self.said, self.ended = "", Event()
        Thread(target=self.tell, daemon=True).start()

    def __call__(self, what: str, done: int, total: int) -> None:
        self.said = visible_name(what) + (f" · {done / total:.0%}" if total else "")

    def tell(self) -> None:
        while not self.ended.wait(PAUSE_S):
            if self.said:
                print(self.said, file=sys.stderr, flush=True)

    def stop(self) -> None:
        self.ended.set()


class Bar:
    """One line with the current step, its progress in percent, and the time left. It moves by itself.

    rich is imported at the first call.
    """

    def __init__(self) -> None:
        self.above: Sequence[RenderableType] = ()
        self.live: Live | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        tasks = self.progress.tasks
        if not tasks or done < tasks[0].completed or total != (tasks[0].total or 0):  # another step, with a time of its own
            for task in tasks:
                self.progress.remove_task(task.id)
            self.progress.add_task("", total=total or None)  # without a total the bar just moves
        [task] = self.progress.tasks
        self.progress.update(task.id, description=visible_name(what), completed=done)
        task.finished_time = None  # the bar goes on moving: processes may have to end before the next step begins
        self.start()

    def show(self, above: Sequence[RenderableType]) -> None:
        """Show these parts above the bar; both disappear at the end. Together they are at most as high as the terminal."""
        self.above = above
        self.start()

    @cached_property
    def console(self) -> Console:
        from normgrade.report.render.terminal import open_console  # loads NumPy

        return open_console(to_stderr=sys.stderr.isatty())

    @cached_property
    def progress(self) -> Progress:
        """The line, as a table of the current step."""
        from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn  # loads rich

        text, left = TextColumn("{task.description}", markup=False), TimeRemainingColumn(compact=True)
        return Progress(SpinnerColumn("line"), text, BarColumn(), TaskProgressColumn(), left, console=self.console)

    def start(self) -> None:
        if self.live is None:
            from rich.live import Live  # loads rich

            self.live = Live(get_renderable=self.content, console=self.console, transient=True, refresh_per_second=10)
            self.live.start(refresh=True)

    def content(self) -> RenderableType:
        from rich.console import Group  # loads rich

        return Group(*self.above, self.progress)

    def stop(self) -> None:
        if self.live is not None:
            self.live.stop()
