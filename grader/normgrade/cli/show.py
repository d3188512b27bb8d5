"""`normgrade show`: a task, or the rules of all tasks, rendered, and through a pager if it is longer than the terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from normgrade.cli.options import WIDEST, course_option, slugs_alike
from normgrade.course.files import read_text
from normgrade.course.links import by_slug
from normgrade.course.questions import ANSWERS, FOLDED
from normgrade.language import _
from normgrade.language.visible import visible, write_data
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.workspace import find_course

if TYPE_CHECKING:
    from rich.console import Console, RenderableType  # not at run time: a pipe does without rich
    from rich.markdown import Markdown  # not at run time: a pipe does without rich


RULES = "rules"  # in the place of a slug, unless an exercise is called so


@click.command("show")
@click.argument("slug", shell_complete=slugs_alike)
@click.option("--answers", is_flag=True, help="Show the answers to the interview questions.")
@click.option("--stub", is_flag=True, help="Show the stub instead of the task.")
@click.option("--no-pager", is_flag=True, help="Print everything at once, without a pager.")
@course_option
def show_command(slug: str, answers: bool, stub: bool, no_pager: bool, course_folder: Path | None) -> None:
    """Show the task of an exercise.

    `normgrade show rules` shows the rules that all exercises share.

    If the task is longer than the terminal, it is shown in a pager; press q to leave it. If the output does not go to a terminal, it is
    Markdown.
    """
    if answers:
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


# A pager, as `git` and `man` use one


def page(console: Console, renderable: RenderableType, wanted: bool = True) -> None:
    """Print a content, through the pager if that is `wanted` and the content is longer than the terminal."""
    with console.capture() as captured:
        console.print(renderable, width=min(console.width, WIDEST))
    text = captured.get()
    fits = text.count("\n") < console.height  # with the line of the shell's prompt
    if not wanted or fits or console.is_dumb_terminal or not sys.stdout.isatty():
        console.print(renderable, width=min(console.width, WIDEST))
        return
    with interrupts_left_to_it():
        click.echo_via_pager(text.removesuffix("\n"))  # it adds one


@contextmanager
def interrupts_left_to_it() -> Iterator[None]:
    """Leave Ctrl-C to the pager. This process gets a handler that does nothing, which the pager does not inherit."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
