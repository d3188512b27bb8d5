"""`normgrade show`: a task, rendered."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from normgrade.cli.options import course_option
from normgrade.course import Course, read

FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>\s*", re.DOTALL)


@click.command("show")
@click.argument("slug")
@click.option("--answers", is_flag=True, help="Unfold the answers to the interview questions.")
@click.option("--stub", is_flag=True, help="The file to begin with, in place of the task.")
@course_option
def show_command(slug: str, answers: bool, stub: bool, course_folder: Path | None) -> None:
    """The task of an exercise; as Markdown where it does not go to a terminal."""
    exercise = Course.find(course_folder).exercise(slug)
    if stub:
        click.echo(read(exercise.stub), nl=False)
        return
    prompt = folded(read(exercise.prompt), answers)
    if not sys.stdout.isatty():
        click.echo(prompt, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(prompt), width=min(console.width, 100))


def folded(prompt: str, answers: bool) -> str:
    """The prompt with what is folded away left out, or unfolded: a terminal has nothing to click on."""
    if answers:
        return FOLDED.sub(lambda match: f"**{match[1].strip()}**\n\n{match[2].strip()}\n\n", prompt)
    return FOLDED.sub(lambda match: f"*{match[1].strip()}: `normgrade show … --answers`*\n\n", prompt)
