"""Verdicts that are shown above the bar before all reports are complete, while a mistake is looked for or other submissions are graded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from normgrade.cli.bar import Bar
from normgrade.grading.grade import OnReport, Submission
from normgrade.grading.grading_options import OnProgress
from normgrade.learner.after_check import told
from normgrade.report.render import QUIET, Detail
from normgrade.report.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.segment import Segment

BELOW = 2  # lines: the bar, and one to spare


def early(watched: OnProgress, submissions: Sequence[Submission], format: str, output: Path | None, detail: Detail) -> OnReport:
    """Return a function that shows reports above the bar when they become known; without a bar it does nothing."""
    if format == "terminal" and output is None and isinstance(watched, Bar) and sys.stdout.isatty():
        return AboveBar(watched, submissions, detail)
    return ignore


def ignore(report: Report) -> None:
    """Show nothing."""


class AboveBar:
    """A line for each complete report, and the screen of the report whose mistake is looked for, if there is room."""

    def __init__(self, bar: Bar, submissions: Sequence[Submission], detail: Detail) -> None:
        self.bar, self.detail, self.total = bar, detail, len(submissions)
        self.exercises = {each.exercise.slug: each.exercise for each in submissions}
        self.complete: list[Report] = []

    def __call__(self, report: Report) -> None:
        shown = told(report, self.exercises[report.exercise])  # as far as it is revealed
        if report.searching:
            self.put(self.screen(shown))
            return
        self.complete.append(shown)
        if len(self.complete) < self.total:  # after the last one the command prints all
            self.put([])

    def screen(self, report: Report) -> list[list[Segment]]:
        """Return the lines of a report, or the only one if there is no room for more."""
        from normgrade.report.render.terminal import line_of, parts_of  # loads NumPy

        lines = self.lines([line_of(report)] if self.detail == QUIET else list(parts_of(report, self.detail)))
        return lines if len(lines) <= self.room else self.lines([line_of(report)])

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
