"""`normgrade show`: a task, or the rules of all tasks, rendered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from normgrade.cli.list import list_exercises
from normgrade.cli.options import course_option
from normgrade.cli.pager import page
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.files import read_text
from normgrade.course.links import by_slug
from normgrade.course.questions import ANSWERS, FOLDED
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible, write_data
from normgrade.learner.workspace import find_course

if TYPE_CHECKING:
    from rich.markdown import Markdown  # not at run time: a pipe does without rich

RULES = "rules"  # in the place of a slug, unless an exercise is called so


@click.command("show")
@click.argument("slug", required=False, shell_complete=slugs_alike)
@click.option("--answers", is_flag=True, help="Show the answers to the interview questions.")
@click.option("--stub", is_flag=True, help="Show the stub instead of the task.")
@click.option("--no-pager", is_flag=True, help="Print everything at once, without a pager.")
@course_option
def show_command(slug: str | None, answers: bool, stub: bool, no_pager: bool, course_folder: Path | None) -> None:
    """Show the task of an exercise.

    `normgrade show rules` shows the rules that all exercises share.

    If the task is longer than the terminal, it is shown in a pager; press q to leave it. If the output does not go to a terminal, it is
    Markdown. Without SLUG, the exercises are listed.
    """
    if slug is None:
        if answers or stub:
            raise UsageError(_("Missing argument: {name}.", name="SLUG"))
        list_exercises(course_folder)
        return
    if answers:
        from normgrade.learner.interviews import refuse_in_interview  # it imports SQLite, which only this option needs

        refuse_in_interview("normgrade show --answers")
    course = find_course(course_folder)
    if slug == RULES and RULES not in course.slugs and course.rules is not None:
        show(by_slug(read_text(course.rules)), no_pager)
        return
    exercise = course.exercise(slug)
    if stub:
        write_data(read_text(exercise.stub))
        return
    prompt = unfolded(read_text(exercise.prompt)) if answers else folded(read_text(exercise.prompt), slug)
    show(prompt, no_pager)


def show(markdown: str, no_pager: bool) -> None:
    """Show a page of a course: in a terminal rendered, elsewhere as it is."""
    if not sys.stdout.isatty():
        click.echo(visible(markdown), nl=False)
        return
    from normgrade.report.render.terminal import open_console  # loads NumPy

    page(open_console(), rendered(markdown), wanted=not no_pager)


# Prompts for a terminal, which cannot fold parts or follow links


def folded(prompt: str, slug: str) -> str:
    """Return the prompt without its folded parts, and with the command that shows them."""
    shown, count = FOLDED.subn(lambda match: title(match[1]), by_slug(prompt))
    if not count:
        return shown
    how = _("Run `normgrade show {slug} --answers` to see the answers too.", slug=slug)
    return f"{shown.rstrip()}\n\n{how}\n"


def unfolded(prompt: str) -> str:
    """Return the prompt with its folded parts as plain paragraphs."""
    return FOLDED.sub(lambda match: f"{title(match[1])}{match[2].strip()}\n\n", by_slug(prompt))


def title(summary: str) -> str:
    """Return the heading of a folded part: its question, or "" if the question stands before it."""
    return "" if summary.strip() in ANSWERS else f"**{summary.strip()}**\n\n"


def rendered(markdown: str) -> Markdown:
    """Return Markdown of a course for a terminal. The address of a link stands beside its words, not hidden under them."""
    from rich.markdown import Markdown  # only in a terminal

    return Markdown(markdown, hyperlinks=False)
