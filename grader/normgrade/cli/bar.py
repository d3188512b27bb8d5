"""A progress bar while long work runs, and above it what is known already; nothing where there is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from normgrade.language.visible import visible_name
from normgrade.suite.grading_options import OnProgress, silent

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.progress import Progress


@contextmanager
def progress() -> Iterator[OnProgress]:
    """A function that shows progress as a bar on stderr, from its first call until the end of the block; nothing without a terminal.

    Where only stdout is a terminal, the bar is there.
    """
    if not (sys.stderr.isatty() or sys.stdout.isatty()):
        yield silent
        return
    bar = Bar()
    try:
        yield bar
    finally:
        bar.stop()


class Bar:
    """One line: what is going on, how much of it is done, in percent, and the time left. It moves by itself.

    rich is imported at the first call.
    """

    def __init__(self) -> None:
        self.above: Sequence[RenderableType] = ()
        self.live: Live | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        tasks = self.progress.tasks
        if not tasks or done < tasks[0].completed or total != (tasks[0].total or 0):  # another step, which takes its own time
            for task in tasks:
                self.progress.remove_task(task.id)
            self.progress.add_task("", total=total or None)  # without a total the bar just moves
        [task] = self.progress.tasks
        self.progress.update(task.id, description=visible_name(what), completed=done)
        task.finished_time = None  # it moves on: until the next step begins, processes may have to end
        self.start()

    def show(self, above: Sequence[RenderableType]) -> None:
        """Show this above the bar, which is gone with it at the end. It is as high as the terminal at most."""
        self.above = above
        self.start()

    @cached_property
    def console(self) -> Console:
        from normgrade.report.render.terminal import open_console

        return open_console(to_stderr=sys.stderr.isatty())

    @cached_property
    def progress(self) -> Progress:
        """The line: a table of the step that is done now."""
        from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

        text, left = TextColumn("{task.description}", markup=False), TimeRemainingColumn(compact=True)
        return Progress(SpinnerColumn("line"), text, BarColumn(), TaskProgressColumn(), left, console=self.console)

    def start(self) -> None:
        if self.live is None:
            from rich.live import Live

            self.live = Live(get_renderable=self.content, console=self.console, transient=True, refresh_per_second=10)
            self.live.start(refresh=True)

    def content(self) -> RenderableType:
        from rich.console import Group

        return Group(*self.above, self.progress)

    def stop(self) -> None:
        if self.live is not None:
            self.live.stop()
