"""`normgrade list`: the exercises, and where you stand."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich import box
from rich.table import Table
from rich.text import Text

from normgrade.cli.options import course_option
from normgrade.course.course import Course, Exercise
from normgrade.inspection.inspection import inspect_file
from normgrade.language import N_, _
from normgrade.learner.workspace import Workspace, find_course

HEADINGS = N_("exercise"), N_("group"), N_("level"), N_("points"), N_("standing")
NUMBERS = "level", "points"


@click.command("list")
@course_option
def list_command(course_folder: Path | None) -> None:
    """The exercises, and where you stand."""
    from normgrade.report.render.terminal import open_console

    course, workspace = find_course(course_folder), Workspace.find()
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), header_style="dim")
    for heading in HEADINGS:
        table.add_column(_(heading), justify="right" if heading in NUMBERS else "left", no_wrap=heading == "exercise")
    standing = standings(workspace, course) if workspace is not None else {}
    for exercise in course:
        stands = standing.get(exercise.slug) or where_you_stand(exercise)
        cells = (exercise.slug, exercise.group, str(exercise.level), str(exercise.points), stands)
        table.add_row(*map(Text, cells))
    console = open_console()
    console.print(table)
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
