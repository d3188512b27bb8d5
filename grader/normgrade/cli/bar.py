"""A progress bar on stderr while long work runs; nothing where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from normgrade.language.visible import visible_name
from normgrade.suite.grading_options import OnProgress, silent

if TYPE_CHECKING:
    import rich.progress


@contextmanager
def progress() -> Iterator[OnProgress]:
    """A function that shows progress as a bar on stderr, from its first call until the end of the block; nothing without a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    bar = Bar()
    try:
        yield bar
    finally:
        bar.stop()


class Bar:
    """One line: what is going on, and how much of it is done, in percent. rich is imported at the first call."""

    def __init__(self) -> None:
        self.progress: rich.progress.Progress | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if self.progress is None:
            self.progress = started(visible_name(what))
        [task] = self.progress.tasks
        task.total = total or None  # without a total the bar just moves
        self.progress.update(task.id, description=visible_name(what), completed=done)

    def stop(self) -> None:
        if self.progress is not None:
            self.progress.stop()


def started(what: str) -> rich.progress.Progress:
    """A started bar with a single task, of which nothing is done yet."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from normgrade.report.render.terminal import open_console

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn()
    progress = Progress(*columns, console=open_console(to_stderr=True), transient=True)
    progress.add_task(what, total=None)
    progress.start()
    return progress
