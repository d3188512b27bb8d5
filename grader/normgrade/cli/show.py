"""`normgrade show`: a task, rendered."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from normgrade.cli.list import list_exercises
from normgrade.cli.options import course_option
from normgrade.cli.pager import page
from normgrade.cli.prompt import folded, rendered, unfolded
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.files import read_text
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible, write_data
from normgrade.learner.workspace import find_course


@click.command("show")
@click.argument("slug", required=False, shell_complete=slugs_alike)
@click.option("--answers", is_flag=True, help="Show the answers to the interview questions.")
@click.option("--stub", is_flag=True, help="Show the stub instead of the task.")
@click.option("--no-pager", is_flag=True, help="Print everything at once, without a pager.")
@course_option
def show_command(slug: str | None, answers: bool, stub: bool, no_pager: bool, course_folder: Path | None) -> None:
    """Show the task of an exercise.

    If the task is longer than the terminal, it is shown in a pager; press q to leave it. If the output does not go to a terminal, it is
    Markdown. Without SLUG, the exercises are listed.
    """
    if slug is None:
        if answers or stub:
            raise UsageError(_("Missing argument: {name}.", name="SLUG"))
        list_exercises(course_folder)
        return
    if answers:
        from normgrade.learner.practice.interviews import refuse_in_interview  # it imports SQLite, which only this option needs

        refuse_in_interview("normgrade show --answers")
    exercise = find_course(course_folder).exercise(slug)
    if stub:
        write_data(read_text(exercise.stub))
        return
    prompt = unfolded(read_text(exercise.prompt)) if answers else folded(read_text(exercise.prompt), slug)
    if not sys.stdout.isatty():
        click.echo(visible(prompt), nl=False)
        return
    from normgrade.report.render.terminal import open_console  # loads NumPy

    page(open_console(), rendered(prompt), wanted=not no_pager)
