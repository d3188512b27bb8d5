"""`normgrade show`: a task, rendered."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from normgrade.cli.options import course_option, slugs_alike
from normgrade.course import read
from normgrade.language import _
from normgrade.workspace import find_course

ANSWERS = ("Answer", "答案")  # summaries that say no more than that something is folded away
FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>\s*", re.DOTALL)


@click.command("show")
@click.argument("slug", shell_complete=slugs_alike)
@click.option("--answers", is_flag=True, help="Unfold the answers to the interview questions.")
@click.option("--stub", is_flag=True, help="The file to begin with, in place of the task.")
@course_option
def show_command(slug: str, answers: bool, stub: bool, course_folder: Path | None) -> None:
    """The task of an exercise.

    It is Markdown where it does not go to a terminal.
    """
    exercise = find_course(course_folder).exercise(slug)
    if stub:
        click.echo(read(exercise.stub), nl=False)
        return
    prompt = unfolded(read(exercise.prompt)) if answers else folded(read(exercise.prompt), slug)
    if not sys.stdout.isatty():
        click.echo(prompt, nl=False)
        return
    from rich.markdown import Markdown

    from normgrade.render.terminal import open_console

    console = open_console()
    console.print(Markdown(prompt), width=min(console.width, 100))


def folded(prompt: str, slug: str) -> str:
    """The prompt without what is folded away, for a terminal has nothing to click on, and how to see that."""
    shown, count = FOLDED.subn(lambda match: title(match[1]), prompt)
    if not count:
        return prompt
    told = _("`normgrade show {slug} --answers` shows the answers too.", slug=slug)
    return f"{shown.rstrip()}\n\n{told}\n"


def unfolded(prompt: str) -> str:
    return FOLDED.sub(lambda match: f"{title(match[1])}{match[2].strip()}\n\n", prompt)


def title(summary: str) -> str:
    """What stands where something is folded away: the question, or nothing where that stands before it."""
    return "" if summary.strip() in ANSWERS else f"**{summary.strip()}**\n\n"
