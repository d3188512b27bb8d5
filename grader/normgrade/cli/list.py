"""`normgrade list`: the exercises, and the learner's standing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from normgrade.cli.by_group import Column, print_by_group
from normgrade.cli.options import course_option, say
from normgrade.cli.warn import warn_of_unfinished, with_course
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, by_worth
from normgrade.inspection.inspection import inspect_file
from normgrade.language import N_, _
from normgrade.learner.workspace import Workspace, find_course

COLUMNS = (
    Column(N_("exercise")),
    Column(N_("level"), number=True, spare=2),
    Column(N_("minutes"), number=True, spare=3),
    Column(N_("importance"), number=True, spare=5),
    Column(N_("points"), number=True, spare=4),
    Column(N_("status")),
    Column(N_("best after"), elastic=True, spare=1, least=16),
)
HOUR = 60  # minutes


@click.command("list")
@course_option
def list_command(course_folder: Path | None) -> None:
    """List the exercises and your progress.

    The last column names the exercises that are best done before. This is only advice: you can do every exercise at any time.
    """
    list_exercises(course_folder)


def list_exercises(course_folder: Path | None) -> None:
    """List the exercises of a course, with the standing in the workspace, or in this folder."""
    course, workspace = find_course(course_folder), Workspace.find()
    warn_of_unfinished(course, course_folder)
    if not (exercises := list(course)):
        command = with_course("normgrade verify", course_folder)
        say(_("No exercise of this course is ready. Run `{command}` to see what is missing.", command=command))
    elif workspace is None:
        print_rows({exercise: row(exercise, where_you_stand(exercise), exercise.after) for exercise in exercises})
        say_for_an_hour(exercises)
        say(_("Run `normgrade show SLUG` to see a task, and `normgrade check SLUG` to grade SLUG.py in this folder."))
    else:
        list_workspace(course, workspace)


def list_workspace(course: Course, workspace: Workspace) -> None:
    """List the exercises of a workspace, and the next step."""
    from normgrade.learner.interviews import running_here, status_in_words  # it imports SQLite, which only a workspace needs
    from normgrade.learner.standing import advice, records  # loads sqlite3

    found, interview = records(course, workspace), running_here()
    print_rows({record.exercise: row(record.exercise, record.standing, record.before) for record in found})
    say_for_an_hour([record.exercise for record in found if not record.passed])
    say(_("Run `normgrade show SLUG` to see a task, and `normgrade check SLUG` to grade SLUG.py in the workspace."))
    say(advice(found) if interview is None else status_in_words(interview, datetime.now(UTC)))


def say_for_an_hour(exercises: Sequence[Exercise]) -> None:
    """Say which of these exercises to do if there is only an hour, unless all of them fit."""
    chosen = most_important(exercises, HOUR)
    if len(chosen) < len(exercises):
        say(_("If you have an hour: {slugs}.", slugs=", ".join(each.slug for each in chosen)))


def most_important(exercises: Sequence[Exercise], minutes: int) -> list[Exercise]:
    """Return the most important exercises that fit into so many minutes, the one to begin with first."""
    chosen = []
    for exercise in by_worth(exercises):
        if exercise.minutes <= minutes:
            chosen.append(exercise)
            minutes -= exercise.minutes
    return chosen


def row(exercise: Exercise, standing: str, before: Sequence[str]) -> tuple[str, ...]:
    numbers = exercise.level, exercise.minutes, exercise.importance, exercise.points
    return exercise.slug, *map(str, numbers), standing, ", ".join(before)


def print_rows(rows: Mapping[Exercise, Sequence[str]]) -> None:
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console()
    print_by_group(console, COLUMNS, rows)
    console.print()


def where_you_stand(exercise: Exercise) -> str:
    """Return the standing outside of a workspace. No attempts are recorded there, so it only says if the file is started."""
    path = Path(exercise.file_name)
    if not os.path.lexists(path):
        return "–"
    return _("started") if inspect_file(path, exercise).started else _("not started")
