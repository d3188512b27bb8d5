"""`normgrade watch`: grade again at every save."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from normgrade.cli.check import remember
from normgrade.cli.keys import keys
from normgrade.cli.options import course_option, slugs_alike
from normgrade.cli.show import folded
from normgrade.course import Course, Exercise, read
from normgrade.errors import UsageError
from normgrade.grade import Desk, Options, Submission, at_desk
from normgrade.inspection import inspect_file
from normgrade.learning import hints_left, next_record, progress_of, records
from normgrade.progress import hints_of_failures
from normgrade.report import Outcome, Report
from normgrade.reveal import reveal
from normgrade.watch import Watched
from normgrade.workspace import Workspace, find_course, submission_of

PAUSE_S = 0.05  # between two looks at the file
SCORES_SHOWN = 10
HELP = "n next exercise · h hint · s prompt · d all differences · q quit"


@click.command("watch")
@click.argument("slug", required=False, shell_complete=slugs_alike)
@course_option
def watch_command(slug: str | None, course_folder: Path | None) -> None:
    """Grade an exercise again whenever its file is saved; without SLUG, the one to go on with.

    In a terminal it is one screen that stays: n goes to the next exercise, h gives a hint, s shows the prompt, d all differences, q quits.
    Elsewhere every report is written out. Ctrl-C ends it, too.
    """
    from normgrade.render.terminal import open_console

    course = find_course(course_folder)
    exercise = course.exercise(slug) if slug is not None else to_go_on_with(course)
    console = open_console()
    options = Options()

    def work(desk: Desk) -> None:
        watching = Watching(desk, course, exercise)
        draw = on_one_screen if console.is_terminal and not console.is_dumb_terminal else written_out
        with suppress(KeyboardInterrupt):
            draw(watching, console)

    at_desk(list(course), options, work)


def to_go_on_with(course: Course) -> Exercise:
    workspace = Workspace.find()
    record = next_record(records(course, workspace)) if workspace is not None else None
    if record is None:
        raise UsageError("Which exercise is to be watched? Name it: `normgrade watch SLUG`; `normgrade list` shows them all.")
    return record.exercise


@dataclass
class Watching:
    """What is on the screen: an exercise, its last report, and what was asked for."""

    desk: Desk
    course: Course
    exercise: Exercise
    report: Report | None = None
    scores: list[str] = field(default_factory=list)
    note: str = ""
    all_differences: bool = False
    with_prompt: bool = False

    def __post_init__(self) -> None:
        self.watched = Watched(submission_of(self.exercise))

    def grade_if_saved(self) -> bool:
        """Whether there is a new report."""
        if not self.watched.saved():
            return False
        path = self.watched.path
        submission = Submission(self.exercise, path, os.path.relpath(path))
        inspection = inspect_file(path, self.exercise)
        self.report = reveal(self.desk.report(submission, inspection), self.exercise.reveal)
        self.note = ""
        if inspection.playable:
            self.scores.append(str(self.report.earned))
        if (workspace := Workspace.find()) is not None:
            remember(workspace, [submission], [self.report])
        return True

    def press(self, key: str) -> Watching:
        """What is watched after a key."""
        match key:
            case "n":
                return self.following()
            case "h":
                self.note = self.next_hint()
            case "s":
                self.with_prompt = not self.with_prompt
            case "d":
                self.all_differences = not self.all_differences
        return self

    def following(self) -> Watching:
        """The next exercise of the course, and after the last the first."""
        exercises = list(self.course)
        return Watching(self.desk, self.course, exercises[(exercises.index(self.exercise) + 1) % len(exercises)])

    def next_hint(self) -> str:
        """The next hint that was not given, of what failed if anything did."""
        failed = hints_of_failures(self.report) if self.report is not None else ()
        workspace = Workspace.find()
        given = progress_of(workspace).given(self.exercise.slug) if workspace is not None else set()
        left = hints_left(self.exercise, failed, given)
        if not left:
            return "You have had every hint."
        if workspace is not None:
            progress_of(workspace).give(self.exercise.slug, left[0], datetime.now(UTC))
        return f"Hint: {left[0]}"


def on_one_screen(watching: Watching, console: Console) -> None:
    """Draw anew whenever something changes, until q."""
    with keys() as pressed, Live(console=console, screen=True, auto_refresh=False) as live:
        width = 0
        while True:
            changed = watching.grade_if_saved()
            key = pressed(PAUSE_S)
            if key == "q":
                return
            watching = watching.press(key)
            if changed or key or console.width != width:
                width = console.width
                live.update(Group(*parts(watching)), refresh=True)


def written_out(watching: Watching, console: Console) -> None:
    """Every report, one below the other, until q."""
    from normgrade.render.terminal import show

    with keys() as pressed:
        while True:
            if watching.grade_if_saved() and watching.report is not None:
                show([watching.report], console, with_losses=False)
            if pressed(PAUSE_S) == "q":
                return


def parts(watching: Watching) -> Iterator[RenderableType]:
    """The screen from top to bottom: what matters most is what a small one still shows."""
    from normgrade.render.terminal import screen_of

    yield Text(HELP, style="dim")
    if watching.with_prompt:
        yield Markdown(folded(read(watching.exercise.prompt), watching.exercise.slug))
        return
    if watching.note:
        yield Text(watching.note, style="yellow")
    if watching.report is None:
        yield Text(f"{watching.exercise.slug}: waiting for {watching.watched.path.name}")
        return
    report = watching.report if watching.all_differences else first_failure_alone(watching.report)
    yield from screen_of(report)
    if len(watching.scores) > 1:
        yield Text(f"last scores: {' '.join(watching.scores[-SCORES_SHOWN:])}", style="dim")
    if report.outcome is Outcome.PASSED:
        yield Text("Passed: n goes on with the next exercise.", style="bold green")


def first_failure_alone(report: Report) -> Report:
    """The report without what is said of any failure but the first."""
    failed = [check for check in report.checks if check.outcome in (Outcome.FAILED, Outcome.ERROR)]
    others = {check.name for check in failed[1:]}
    checks = [replace(check, message="", differences=(), hint="", stdout="") if check.name in others else check for check in report.checks]
    return replace(report, checks=tuple(checks))
