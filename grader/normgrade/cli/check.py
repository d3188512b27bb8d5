"""`normgrade check`: grade submissions, and show verdicts above the bar before all reports are complete."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from normgrade.cli.bar import Bar, progress
from normgrade.cli.options import DETAILS, F, course_option, hand_over, isolation_option, report_options, say, slugs_alike
from normgrade.cli.output import format_of, refuse_links, refuse_unless_writable
from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, without_hindered
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grade import OnReport, Submission, grade
from normgrade.grading.grading_options import OnProgress, Options, available
from normgrade.inspection.inspection import inspect_file
from normgrade.inspection.source import content_of
from normgrade.language import _
from normgrade.language.errors import CourseError, UsageError
from normgrade.learner.after_check import after_pass, revealed, told
from normgrade.learner.interviews import Interview, file_of, held_back, running_here, status_in_words
from normgrade.learner.standing import advice, records
from normgrade.learner.workspace import Workspace, find_course
from normgrade.report.render import QUIET, Detail, preload
from normgrade.report.report import Finding, Report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.segment import Segment


MOST_SEEDS = 2**32
LONGEST_S = 3600
FOR_PEOPLE = ("terminal", "html")


def seed_of(context: click.Context, option: click.Parameter, value: str) -> int:
    """Return the seed: a whole number from 0 on, or a random one for "random"."""
    if value == "random":
        return secrets.randbelow(MOST_SEEDS)
    if value.isdecimal() and int(value) < MOST_SEEDS:
        return int(value)
    raise UsageError(
        _('"{value}" is not a valid seed. --seed must be a whole number from 0 to {most}, or "random".', value=value, most=MOST_SEEDS - 1)
    )


def seconds_of(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    """Return the time limit in seconds; None if none is given."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if 0 < seconds <= LONGEST_S:
        return seconds
    raise UsageError(
        _(
            '"{value}" is not a valid time limit. --timeout must be a number of seconds above 0 and up to {most}.',
            value=value,
            most=LONGEST_S,
        )
    )


def grading_options(command: F) -> F:
    """Add the options that say how to grade: --seed, --timeout, --require-isolation."""
    limit = "Time limit for all checks of one submission, in seconds."
    command = click.option("--timeout", callback=seconds_of, metavar="S", help=limit)(isolation_option(command))
    seed = "Seed of the inputs, 0 by default."
    return click.option("--seed", callback=seed_of, default="0", metavar="N|random", help=seed)(command)


def targets_alike(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return completions: slugs, or else the files that the shell finds."""
    return [*map(CompletionItem, slugs_alike(context, parameter, begun))] or [CompletionItem(begun, type="file")]


@click.command("check")
@click.argument("targets", nargs=-1, metavar="[SLUG | FILE]…", shell_complete=targets_alike)
@click.option(
    "--exercise",
    "slug",
    metavar="SLUG",
    shell_complete=slugs_alike,
    help="Exercise of the files, if their names do not tell it.",
)
@grading_options
@report_options
@course_option
def check_command(
    targets: tuple[str, ...],
    slug: str | None,
    seed: int,
    timeout: float | None,
    required: str,
    format: str | None,
    output: Path | None,
    detail: str | None,
    course_folder: Path | None,
) -> int:
    """Grade submissions.

    SLUG stands for the file with that name in the workspace or in this folder: `layer_norm` for layer_norm.py. Without arguments, all
    exercises started there are graded.
    """
    format = format_of(format, output)  # before anything is graded
    if output is not None:
        refuse_unless_writable(output)
    course, everything, interview = find_course(course_folder), not (targets or slug), running_here()
    if everything:
        warn_of_unfinished(course, course_folder)
    submissions: Sequence[Submission] = (
        [named(course, target, slug, interview) for target in targets] if targets else started(course, slug, interview)
    )
    warn_of_folders()
    shown = DETAILS[detail] if interview is None or detail == "quiet" else replace(DETAILS[detail], advice=False)
    with progress() as watched:
        on_report, meanwhile = early(watched, submissions, format, output, shown), partial(preload, format)
        options = Options(seed, timeout, required=required, progress=watched, meanwhile=meanwhile, cores=available())
        if everything:
            submissions, reports = grade_all(submissions, options, course_folder, on_report)
        else:
            reports = grade(submissions, options, on_report)
    reports = revealed(submissions, reports)
    code = hand_over(reports, format, output, shown)
    if output is not None and format in FOR_PEOPLE and detail != "quiet":
        tell_briefly(reports, output)
    if interview is not None:
        for line in filter(None, (status_in_words(interview, datetime.now(UTC)), held_back(interview, reports))):
            click.echo(line, err=True)
        return code
    if code == 0 and format == "terminal" and output is None and detail != "quiet":
        say_what_is_next(course, submissions)
    return code


def tell_briefly(reports: Sequence[Report], output: Path) -> None:
    """Print a line for each report that was written to a file, and where it is. It goes to stderr, because the file may be stdout."""
    from normgrade.report.render.terminal import open_console, show  # loads NumPy

    show(reports, open_console(to_stderr=True), DETAILS["quiet"])
    say(_("The report is in {path}.", path=output), to_stderr=True)


def say_what_is_next(course: Course, passed: Sequence[Submission]) -> None:
    """Print the next step in a workspace after everything has passed; more than that after a single exercise."""
    if (workspace := Workspace.find()) is not None:
        with suppress(UsageError):  # a note has told of it already
            say(*(after_pass(course, passed[0].exercise, workspace) if len(passed) == 1 else [advice(records(course, workspace))]))


def grade_all(
    submissions: Sequence[Submission], options: Options, course_folder: Path | None, on_report: OnReport
) -> tuple[Sequence[Submission], list[Report]]:
    """Return the submissions whose exercises can be graded, and the reports on them. Raise CourseError if no exercise can be graded."""
    try:
        return submissions, grade(submissions, options, on_report)
    except CourseError:
        sound = without_hindered((each.exercise for each in submissions), course_folder)
        gradable = [each for each in submissions if each.exercise in sound]
        if len(gradable) in (0, len(submissions)):
            raise
    return gradable, grade(gradable, options, on_report)


def named(course: Course, target: str, slug: str | None, interview: Interview | None) -> Submission:
    """Return the submission that an argument names: a slug, or a file."""
    path = Path(target)
    if target == "-":
        raise UsageError(_('"-" is not a file, and standard input is not read. Save your code in a file, and pass the name of the file.'))
    refuse_links(path, Workspace.find())
    if slug is not None:
        return Submission(course.exercise(slug), path, target)
    if path.suffix != ".py" and len(path.parts) == 1 and not os.path.lexists(path):
        return own(course.exercise(target), interview)
    if path.stem not in course.slugs:
        content = content_of(path, "SLUG")
        if isinstance(content, Finding):
            raise UsageError(content.text)
        raise UsageError(
            _('No exercise matches the file name "{file}". Use --exercise SLUG. Run `normgrade list` to see all exercises.', file=path)
        )
    return Submission(course.exercise(path.stem), path, target)


def started(course: Course, slug: str | None, interview: Interview | None) -> Sequence[Submission]:
    """Return every file that is named after an exercise, without untouched stubs if there is any other file.

    The files are those of the workspace or this folder; in an interview, those of the interview.
    """
    if slug is not None:
        return [named(course, slug, None, interview)]
    candidates = [own(each, interview) for each in course if interview is None or each.slug in interview.slugs]
    here = [each for each in candidates if os.path.lexists(each.path)]
    if not here:
        raise UsageError(
            _("Nothing to check: no file in this folder is named after an exercise. Run `normgrade list` to see all exercises.")
        )
    return [each for each in here if inspect_file(each.path, each.exercise).started] or here


def own(exercise: Exercise, interview: Interview | None) -> Submission:
    """Return the learner's file for an exercise; its name in the report is its path from the current folder."""
    path = file_of(exercise, interview)
    if interview is not None:
        refuse_links(path, Workspace.find())
    return Submission(exercise, path, os.path.relpath(path))


# Early verdicts, while a mistake is looked for or other submissions are graded


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
