"""`normgrade solution`: the right answer, beside one's own."""

from __future__ import annotations

import ast
from difflib import unified_diff
from pathlib import Path

import click
from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from normgrade.cli.options import course_option, refuse_unless_revealed, slugs_alike
from normgrade.course import Exercise, read
from normgrade.docstring import told
from normgrade.errors import UsageError, did_you_mean
from normgrade.inspection import inspect_file
from normgrade.language import _
from normgrade.learning import progress_of
from normgrade.render.beside import WIDE, beside
from normgrade.workspace import Workspace, find_course, submission_of


@click.command("solution")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("way", required=False)
@click.option("--spoil", is_flag=True, help="Show it though the exercise has not passed yet.")
@course_option
def solution_command(slug: str, way: str | None, spoil: bool, course_folder: Path | None) -> None:
    """The right answer, beside yours, and other right ways.

    It is for an exercise that you have passed. WAY names one of the other ways.
    """
    from normgrade.render.terminal import open_console

    exercise = find_course(course_folder).exercise(slug)
    refuse_unless_revealed(exercise, _("solution"))
    if not spoil and not has_passed(exercise):
        raise UsageError(
            _("{slug} has not passed yet, as far as is known here. `normgrade hint {slug}` helps; --spoil shows the answer.", slug=slug)
        )
    console = open_console()
    if way is not None:
        show_source(console, alternative(exercise, way))
        return
    if console.width < WIDE or not submission_of(exercise).exists():
        show_source(console, exercise.reference)
        console.print()
    show_difference(console, exercise)
    show_other_ways(console, exercise)


def has_passed(exercise: Exercise) -> bool:
    workspace = Workspace.find()
    return workspace is not None and any(attempt.passed for attempt in progress_of(workspace).attempts(exercise.slug))


def alternative(exercise: Exercise, way: str) -> Path:
    ways = {path.stem: path for path in exercise.alternatives}
    if way not in ways:
        raise UsageError(
            _(
                'No right way of {slug} is called "{name}".{meant} There are {ways}.',
                slug=exercise.slug,
                name=way,
                meant=did_you_mean(way, ways),
                ways=", ".join(ways) or _("none"),
            )
        )
    return ways[way]


def show_source(console: Console, path: Path) -> None:
    console.print(Text(path.name, style="bold"))
    console.print(Syntax(read(path).rstrip(), "python", theme="ansi_dark", background_color="default", word_wrap=True))


def show_difference(console: Console, exercise: Exercise) -> None:
    """The learner's file beside the reference, or, on a narrow terminal, what turns the one into the other."""
    path, reference = submission_of(exercise), read(exercise.reference)
    own = inspect_file(path, exercise).source
    if own is None:
        return
    console.print(Text(_("From your file to it"), style="bold"))
    if own.splitlines() == reference.splitlines():
        console.print(Text(_("They are the same, to the letter.")))
    elif console.width >= WIDE:
        console.print(beside((path.name, own), (exercise.reference.name, reference)))
    else:
        lines = unified_diff(own.splitlines(), reference.splitlines(), path.name, exercise.reference.name, lineterm="", n=2)
        console.print(Syntax("\n".join(lines), "diff", theme="ansi_dark", background_color="default", word_wrap=True))


def show_other_ways(console: Console, exercise: Exercise) -> None:
    if not exercise.alternatives:
        return
    console.print()
    console.print(Text(_("Other right ways"), style="bold"))
    for path in exercise.alternatives:
        said = told(ast.get_docstring(ast.parse(read(path))))
        console.print(Text.assemble(f"  {path.stem}", (f"  {said}", "dim")))
    console.print(Text(_("`normgrade solution {slug} NAME` shows one of them.", slug=exercise.slug)))
