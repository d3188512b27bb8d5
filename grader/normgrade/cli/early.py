"""Verdicts that are shown before all reports are complete, while a mistake is looked for or other submissions are graded."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from normgrade.cli.bar import Bar
from normgrade.cli.output import write_report
from normgrade.course.exercise import Exercise
from normgrade.course.files import leads_to_device
from normgrade.grading.grade import OnReport, Submission
from normgrade.grading.grading_options import OnProgress
from normgrade.language.errors import UsageError
from normgrade.learner.after_check import told
from normgrade.report.render import render
from normgrade.report.render.detail import QUIET, Detail
from normgrade.report.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.segment import Segment

BELOW = 2  # lines: the bar, and one to spare


@contextmanager
def early(watched: OnProgress, submissions: Sequence[Submission], format: str, output: Path | None, detail: Detail) -> Iterator[OnReport]:
    """Yield a function that shows reports when they become known, above the bar or on the page to be written; elsewhere it does nothing."""
    if format == "terminal" and output is None and isinstance(watched, Bar) and sys.stdout.isatty():
        yield AboveBar(watched, submissions, detail)
    elif format == "html" and output is not None and not leads_to_device(output):
        page = EarlyPage(output, submissions)
        try:
            yield page
        except BaseException:  # Ctrl-C, too
            page.stop()
            raise
    else:
        yield ignore


def ignore(report: Report) -> None:
    """Show nothing."""


class Known:
    """The reports that are complete, as far as they are revealed."""

    def __init__(self, submissions: Sequence[Submission]) -> None:
        self.exercises: dict[str, Exercise] = {each.exercise.slug: each.exercise for each in submissions}
        self.complete: list[Report] = []

    def __call__(self, report: Report) -> None:
        shown = told(report, self.exercises[report.exercise])
        if report.searching:
            self.show(shown)
        else:
            self.complete.append(shown)
            self.completed()

    def show(self, report: Report) -> None:
        """Show a report while its mistake is looked for."""

    def completed(self) -> None:
        """React to another report that is complete."""


class AboveBar(Known):
    """A line for each complete report, and the screen of the report whose mistake is looked for, if there is room."""

    def __init__(self, bar: Bar, submissions: Sequence[Submission], detail: Detail) -> None:
        super().__init__(submissions)
        self.bar, self.detail, self.total = bar, detail, len(submissions)

    def show(self, report: Report) -> None:
        from normgrade.report.render.terminal import line_of, parts_of  # loads NumPy

        lines = self.lines([line_of(report)] if self.detail == QUIET else list(parts_of(report, self.detail)))
        self.put(lines if len(lines) <= self.room else self.lines([line_of(report)]))

    def completed(self) -> None:
        if len(self.complete) < self.total:  # after the last one the command prints all
            self.put([])

    def put(self, screen: list[list[Segment]]) -> None:
        from rich.segment import SegmentLines  # loads rich

        from normgrade.report.render.terminal import line_of  # loads NumPy

        lines = self.lines(list(map(line_of, self.complete)))
        left = self.room - len(screen)
        self.bar.show([SegmentLines([*(lines[-left:] if left > 0 else []), *screen], new_lines=True)])

    @property
    def room(self) -> int:
        return self.bar.console.height - BELOW

    def lines(self, parts: Sequence[RenderableType]) -> list[list[Segment]]:
        """Return the parts as lines, drawn once: to draw them at every move of the bar would take too much time."""
        from rich.console import Group  # loads rich

        from normgrade.report.render.terminal import WIDEST  # loads NumPy

        console = self.bar.console
        return console.render_lines(Group(*parts), console.options.update(width=min(console.width, WIDEST), height=None), pad=False)


class EarlyPage(Known):
    """The page while a mistake is looked for. It reloads itself until it is written without such a report."""

    def __init__(self, output: Path, submissions: Sequence[Submission]) -> None:
        super().__init__(submissions)
        self.output = output
        self.shown: Report | None = None  # the unfinished report that the page was written with last
        self.since_s = 0.0

    def show(self, report: Report) -> None:
        self.shown, self.since_s = report, time.monotonic()
        self.write(report)

    def stop(self) -> None:
        """Write the page in the form that stays: its last report says that the search was stopped."""
        if self.shown is not None:
            self.write(replace(self.shown, searching=False, stopped_after_s=time.monotonic() - self.since_s))

    def write(self, report: Report) -> None:
        with suppress(UsageError):  # the command reports it at its end, after it has recorded the attempt
            write_report(self.output, "html", render([*self.complete, report], "html"))
