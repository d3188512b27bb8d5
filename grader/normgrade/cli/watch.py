"""`normgrade watch`: grade again at every save."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from normgrade.cli import INTERRUPTED, streams
from normgrade.cli.bar import progress
from normgrade.cli.keys import keys
from normgrade.cli.options import course_option, isolation_option
from normgrade.cli.shell_words import slugs_alike
from normgrade.cli.suspend import stepping_aside
from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, without_hindered
from normgrade.cli.watch_loop import on_one_screen
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options, available
from normgrade.grading.opening import open_grader
from normgrade.language import _
from normgrade.language.errors import CourseError, UsageError
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.standing import next_record, records
from normgrade.learner.watching import Watching
from normgrade.learner.workspace import Workspace, find_course
from normgrade.report.render.terminal import open_console, show

if TYPE_CHECKING:
    from normgrade.grading.grader import Grader

PAUSE_S = 0.05  # between two looks at the file


@click.command("watch")
@click.argument("slug", required=False, shell_complete=slugs_alike)
@isolation_option
@course_option
def watch_command(slug: str | None, required: str, course_folder: Path | None) -> int:
    """Grade an exercise again whenever its file is saved.

    Without SLUG, the next exercise is watched. In a terminal, the report stays on one screen: n goes to the next exercise, h gives a hint,
    s shows the task, d shows all differences, ? shows all keys, and q quits. If the output does not go to a terminal, every report is
    printed. Ctrl-C also quits.
    """

    refuse_in_interview("normgrade watch")
    course = find_course(course_folder)
    warn_of_unfinished(course, course_folder)
    exercise = course.exercise(slug) if slug is not None else to_go_on_with(course)
    warn_of_folders()
    console = open_console()

    try:
        with ExitStack() as opened:
            with progress() as watched:
                options = Options(required=required, progress=watched, cores=available())
                grader, course = opened.enter_context(open_for_all(course, exercise, options, course_folder))
            watching = Watching(grader, course, exercise)
            if console.is_terminal and not console.is_dumb_terminal:
                on_one_screen(watching, console)
            else:
                written_out(watching, console)
    except KeyboardInterrupt:  # an ordinary way to end it, which needs no message
        return INTERRUPTED
    return 0


@contextmanager
def open_for_all(course: Course, exercise: Exercise, options: Options, course_folder: Path | None) -> Iterator[tuple[Grader, Course]]:
    """Yield a grader for every exercise that can be graded, and the course without the others.

    Raise CourseError if `exercise` cannot be graded.
    """
    with ExitStack() as opened:
        try:
            grader = opened.enter_context(open_grader(list(course), options))
        except CourseError:
            sound = without_hindered(course, course_folder)
            if exercise not in sound:
                raise
            course = replace(course, without=frozenset(course.folders) - {each.slug for each in sound})
            grader = opened.enter_context(open_grader(sound, options))
        yield grader, course


def to_go_on_with(course: Course) -> Exercise:
    """Return the exercise that `normgrade` calls next. Raise a UsageError outside of a workspace, or if all exercises have passed."""
    workspace = Workspace.find()
    record = next_record(records(course, workspace)) if workspace is not None else None
    if record is None:
        raise UsageError(
            _("There is no exercise to continue with. Run `normgrade watch SLUG` to watch one, and `normgrade list` to see all exercises.")
        )
    return record.exercise


def written_out(watching: Watching, console: Console) -> None:
    """Print every report below the one before, until q, or until nobody reads them any more."""

    with keys() as keyboard, stepping_aside(keyboard.end, keyboard.begin):
        while streams.why_dropped() is None:
            if watching.begin_if_saved():
                with progress() as watched:
                    watching.listen(watching.on_change, watched)
                    watching.grade()
                if watching.report is not None:
                    show([watching.report], console)
            if keyboard.pressed(PAUSE_S) == "q":
                return
