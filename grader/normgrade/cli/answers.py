"""`normgrade hint` and `normgrade solution`: one hint at a time, and the right answer beside the learner's."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest
from pathlib import Path

import click
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from normgrade.cli.options import course_option, refuse_unless_revealed, say, slugs_alike, ways_alike, whole_number
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.inspection.inspection import inspect_file
from normgrade.language import _, n_
from normgrade.language.docstring import as_spoken, first_paragraph
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.learner.hints import Hint, take_hint
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.standing import advice, attempts_of, records
from normgrade.learner.workspace import Workspace, find_course, submission_of

# Hints


@click.command("hint")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("number", required=False, callback=whole_number(1, 99))
@course_option
def hint_command(slug: str, number: int | None, course_folder: Path | None) -> None:
    """Show the next hint for an exercise.

    If your last check failed, hints about the failure come first, then the hints of the exercise. NUMBER chooses a hint of the exercise.
    Outside a workspace, hints are not counted, and NUMBER is 1 by default.
    """
    refuse_in_interview("normgrade hint")
    course, workspace = find_course(course_folder), Workspace.find()
    exercise = course.exercise(slug)
    if workspace is None or number is not None:
        say_numbered(exercise, number or 1)
    else:
        say_next(course, exercise, workspace)


def say_numbered(exercise: Exercise, number: int) -> None:
    """Print one of the exercise's own hints."""
    if number > len(exercise.hints):
        say(no_more(exercise))
        return
    say(exercise.hints[number - 1])
    slug, count = exercise.slug, len(exercise.hints)
    if number == count:
        say(_("(This was the last hint.)"))
    else:
        say(
            _(
                "(Hint {number} of {count}. Run `normgrade hint {slug} {next}` for the next one.)",
                number=number,
                count=count,
                slug=slug,
                next=number + 1,
            )
        )


def say_next(course: Course, exercise: Exercise, workspace: Workspace) -> None:
    """Print the next hint that was not given yet."""
    attempts = attempts_of(workspace).attempts(exercise.slug)
    last = attempts[-1] if attempts else None
    if last is not None and last.passed:
        say(_("{slug} passed your last check, so there are no hints.", slug=exercise.slug), advice(records(course, workspace)))
        return
    say(*in_words(exercise, take_hint(exercise, last, workspace)))


def in_words(exercise: Exercise, left: Sequence[Hint]) -> tuple[str, ...]:
    """Return the first of the hints that are left, and how many follow."""
    if not left:
        return (no_more(exercise),)
    more = len(left) - 1
    return left[0].shown, n_("({n} more hint)", "({n} more hints)", more) if more else _("(This was the last hint.)")


def no_more(exercise: Exercise) -> str:
    """Return the message that there are no more hints; it names the solution if the course reveals it."""
    if exercise.reveal != "full":
        return _("There are no more hints for {slug}.", slug=exercise.slug)
    return _("There are no more hints for {slug}. Run `normgrade solution {slug} --spoil` to see the answer.", slug=exercise.slug)


# Solutions


WIDE = 120  # columns; a narrower terminal has no room for two sources


@click.command("solution")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("way", required=False, shell_complete=ways_alike)
@click.option("--spoil", is_flag=True, help="Show it even if the exercise has not passed yet.")
@course_option
def solution_command(slug: str, way: str | None, spoil: bool, course_folder: Path | None) -> None:
    """Show the right answer beside yours, and other right ways.

    You must have passed the exercise. WAY names one of the other ways. If the output does not go to a terminal, it is only the Python file.
    """
    refuse_in_interview("normgrade solution")
    exercise = find_course(course_folder).exercise(slug)
    refuse_unless_revealed(exercise, _("solution"))
    if not spoil and not has_passed(exercise):
        raise UsageError(
            _(
                "No passed attempt at {slug} is recorded here. Run `normgrade hint {slug}` for a hint, or use --spoil to see the answer.",
                slug=slug,
            )
        )
    path = exercise.reference if way is None else alternative(exercise, way)
    if not sys.stdout.isatty():
        click.echo(as_spoken(read_text(path)), nl=False)
        return
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console()
    if way is not None:
        show_source(console, path)
        return
    if console.width < WIDE or not submission_of(exercise).exists():
        show_source(console, exercise.reference)
        console.print()
    show_difference(console, exercise)
    show_other_ways(console, exercise, spoil)


def has_passed(exercise: Exercise) -> bool:
    """Return True if any attempt in this workspace passed."""
    workspace = Workspace.find()
    return workspace is not None and any(attempt.passed for attempt in attempts_of(workspace).attempts(exercise.slug))


def alternative(exercise: Exercise, way: str) -> Path:
    """Return the file of another right way, by its name. Raise UsageError if there is none of that name."""
    ways = {path.stem: path for path in exercise.alternatives}
    if way not in ways:
        raise UsageError(
            _(
                '{slug} has no right way named "{name}".{meant} Known ways: {ways}.',
                slug=exercise.slug,
                name=way,
                meant=did_you_mean(way, ways),
                ways=", ".join(ways) or _("none"),
            )
        )
    return ways[way]


def show_source(console: Console, path: Path) -> None:
    console.print(Text(path.name, style="bold"))
    show_code(console, as_spoken(read_text(path)), "python")


def show_code(console: Console, code: str, language: str) -> None:
    """Print code in colours. The terminal wraps long lines, not rich, so that lines copied from there are whole."""
    syntax = Syntax("", language, theme="ansi_dark", background_color="default")
    console.print(syntax.highlight(code.rstrip()), soft_wrap=True)


def show_difference(console: Console, exercise: Exercise) -> None:
    """Print the learner's file beside the reference; on a narrow terminal, the diff from one to the other."""
    path, reference = submission_of(exercise), as_spoken(read_text(exercise.reference))
    own = inspect_file(path, exercise).source
    if own is None:
        return
    console.print(Text(_("Changes from your file to the reference"), style="bold"))
    if own.splitlines() == reference.splitlines():
        console.print(Text(_("Both files are identical.")))
    elif console.width >= WIDE:
        console.print(beside((path.name, own), (exercise.reference.name, reference)))
    else:
        lines = unified_diff(own.splitlines(), reference.splitlines(), path.name, exercise.reference.name, lineterm="", n=2)
        show_code(console, "\n".join(lines), "diff")


def show_other_ways(console: Console, exercise: Exercise, spoil: bool) -> None:
    """Print the names of the alternatives, with the first paragraph of their docstrings."""
    if not exercise.alternatives:
        return
    console.print()
    console.print(Text(_("Other right ways"), style="bold"))
    for path in exercise.alternatives:
        says = first_paragraph(ast.get_docstring(ast.parse(read_text(path))))
        console.print(Text.assemble(f"  {path.stem}", (f"  {says}", "dim")))
    if spoil:
        console.print(Text(_("Run `normgrade solution {slug} NAME --spoil` to see one of them.", slug=exercise.slug)))
    else:
        console.print(Text(_("Run `normgrade solution {slug} NAME` to see one of them.", slug=exercise.slug)))


# Two sources next to each other, line by line


def beside(own: tuple[str, str], other: tuple[str, str]) -> Table:
    """Return a table of two sources, each given as name and text: "−" marks lines only in the first, "+" lines only in the second."""
    table = Table.grid(padding=(0, 1, 0, 0), expand=True)
    for _side in range(2):
        table.add_column(no_wrap=True)
        table.add_column(ratio=1, overflow="fold")
    table.add_row("", Text(own[0], style="bold"), "", Text(other[0], style="bold"))
    for left, right, same in rows(own[1].splitlines(), other[1].splitlines()):
        table.add_row(*cells(left, same, "−", "red"), *cells(right, same, "+", "green"))
    return table


def cells(line: str | None, same: bool, mark: str, style: str) -> tuple[Text, Text]:
    """Return the mark and the line of one side; there is no mark if the line is on both sides."""
    if line is None or same:
        return Text(" "), Text(line or "", style="dim")
    return Text(mark, style=style), Text(line, style=style)


def rows(left: list[str], right: list[str]) -> Iterator[tuple[str | None, str | None, bool]]:
    """Yield pairs of lines, each with true if both are equal; a line is None if its side has none."""
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for pair in zip_longest(left[i:j], right[k:m]):
            yield *pair, kind == "equal"
