"""`normgrade list`: the exercises, and where you stand."""

from __future__ import annotations

import os
from pathlib import Path

import click

from normgrade.cli.by_group import Column, print_by_group
from normgrade.cli.options import course_option
from normgrade.cli.warn import warn_of_unfinished
from normgrade.course.course import Course, Exercise
from normgrade.inspection.inspection import inspect_file
from normgrade.language import N_, _
from normgrade.learner.workspace import Workspace, find_course

COLUMNS = Column(N_("exercise")), Column(N_("level"), number=True), Column(N_("points"), number=True), Column(N_("standing"))


@click.command("list")
@course_option
def list_command(course_folder: Path | None) -> None:
    """The exercises, and where you stand."""
    from normgrade.report.render.terminal import open_console

    course, workspace = find_course(course_folder), Workspace.find()
    warn_of_unfinished(course, course_folder)
    standing = standings(workspace, course) if workspace is not None else {}
    cells = {
        exercise: (exercise.slug, str(exercise.level), str(exercise.points), standing.get(exercise.slug) or where_you_stand(exercise))
        for exercise in course
    }
    console = open_console()
    print_by_group(console, COLUMNS, cells)
    console.print()
    if workspace is None:
        console.print(_("`normgrade show SLUG` shows a task, `normgrade check SLUG` grades SLUG.py in this folder."))
    else:
        console.print(_("`normgrade show SLUG` shows a task, `normgrade check SLUG` grades SLUG.py in the workspace."))


def standings(workspace: Workspace, course: Course) -> dict[str, str]:
    """The standing at every exercise, by slug."""
    from normgrade.learner.standing import records  # and with it SQLite, which only a workspace needs

    return {record.exercise.slug: record.standing for record in records(course, workspace)}


def where_you_stand(exercise: Exercise) -> str:
    """The standing outside of a workspace, where no attempts are recorded: whether the file in this folder is started."""
    path = Path(exercise.file_name)
    if not os.path.lexists(path):
        return "–"
    return _("started") if inspect_file(path, exercise).started else _("not started")
