"""`normgrade list`: the exercises, and where you stand."""

from __future__ import annotations

from pathlib import Path

import click

from normgrade.cli.options import course_option
from normgrade.course import Course, Exercise
from normgrade.inspection import inspect_file


@click.command("list")
@course_option
def list_command(course_folder: Path | None) -> None:
    """The exercises, and which of them are started in this folder."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from normgrade.render.terminal import open_console

    exercises = list(Course.find(course_folder))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), header_style="dim")
    for heading in ("exercise", "title", "group", "level", "points", "here"):
        table.add_column(heading, justify="right" if heading in ("level", "points") else "left", no_wrap=heading == "exercise")
    for exercise in exercises:
        cells = (exercise.slug, exercise.title, exercise.group, str(exercise.level), str(exercise.points), where_you_stand(exercise))
        table.add_row(*map(Text, cells))
    console = open_console()
    console.print(table)
    console.print("`normgrade show SLUG` shows a task, `normgrade check SLUG` grades SLUG.py in this folder.")


def where_you_stand(exercise: Exercise) -> str:
    path = Path(exercise.file_name)
    if not path.exists():
        return "–"
    return "started" if inspect_file(path, exercise).started else "not started"
