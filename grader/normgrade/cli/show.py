"""`normgrade show`: a task, rendered."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from normgrade.cli.options import course_option
from normgrade.cli.prompt import folded, rendered, unfolded
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.files import read_text
from normgrade.language.visible import visible, write_data
from normgrade.learner.workspace import find_course


@click.command("show")
@click.argument("slug", shell_complete=slugs_alike)
@click.option("--answers", is_flag=True, help="Unfold the answers to the interview questions.")
@click.option("--stub", is_flag=True, help="The file to begin with, in place of the task.")
@course_option
def show_command(slug: str, answers: bool, stub: bool, course_folder: Path | None) -> None:
    """The task of an exercise.

    It is Markdown where it does not go to a terminal.
    """
    if answers:
        from normgrade.learner.interviews import refuse_in_interview  # and with it SQLite, which no other task needs

        refuse_in_interview("normgrade show --answers")
    exercise = find_course(course_folder).exercise(slug)
    if stub:
        write_data(read_text(exercise.stub))
        return
    prompt = unfolded(read_text(exercise.prompt)) if answers else folded(read_text(exercise.prompt), slug)
    if not sys.stdout.isatty():
        click.echo(visible(prompt), nl=False)
        return
    from normgrade.report.render.terminal import open_console

    console = open_console()
    console.print(rendered(prompt), width=min(console.width, 100))
