"""Grading inside a notebook or Python: `%%normgrade layer_norm` on a cell, or `normgrade.check(LayerNorm)`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from normgrade.cli import in_language, in_our_words, language_of
from normgrade.cli.check import grading_options
from normgrade.cli.options import course_option
from normgrade.language import N_, _, speak
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import find_course
from normgrade.notebook.commands import Output, run_command
from normgrade.notebook.graded import Graded
from normgrade.notebook.isolated import Order, grade_apart
from normgrade.notebook.memory import MEMORY
from normgrade.notebook.passed import exercise_for, name_of
from normgrade.notebook.shell import Shell, python, session, session_of, words
from normgrade.notebook.shown_early import ShownEarly
from normgrade.notebook.source_file import as_file
from normgrade.notebook.standalone import completed, standalone

MAGIC = "%%normgrade"


# In Python


def check(*things: object, seed: int | str = 0, timeout_s: float | None = None, course: str | Path | None = None) -> Graded:
    """Grade one or more classes or functions: `normgrade.check(LayerNorm)`, or `normgrade.check("layer_norm", LayerNorm)`.

    If no slug comes first, the names determine the exercise. The source of the things is graded, with the imports, constants, functions and
    classes of the notebook or file that it uses. `seed` is a whole number, or "random"; `timeout_s` is the time for all checks together;
    `course` is the folder of another course.
    """
    speak(language_of(()))
    if things and isinstance(things[0], str):
        slug, things = things[0], things[1:]
    else:
        slug = told_by(things, None if course is None else Path(course))
    options = {"--seed": seed, "--timeout": timeout_s, "--course": course}
    order = ordered([*(f"{name}={value}" for name, value in options.items() if value is not None), "--", slug])
    assert order is not None
    if not things:
        defines = ", ".join(signature.name for signature in order.exercise.defines)
        raise UsageError(_('There is nothing to grade. Call check("{slug}", {names}).', slug=order.slug, names=defines))
    return graded(order, standalone(things, session()), ", ".join(map(name_of, things)))


def told_by(things: Sequence[object], folder: Path | None) -> str:
    """Return the slug of the exercise that defines the names of these things; without things, that of the first exercise."""
    course = find_course(folder)
    return exercise_for(list(map(name_of, things)), course) if things else next(iter(course)).slug


# In a notebook


def load_ipython_extension(shell: Shell) -> None:
    """Register `%normgrade` and `%%normgrade`, for `%load_ext normgrade`."""

    def normgrade(line: str, cell: str | None = None) -> Graded | Output | None:
        """Run a cell and grade it: `%%normgrade SLUG`. Or run a command: `%normgrade hint SLUG`; `%normgrade` lists the commands."""
        if cell is not None:
            return run_and_grade(shell, line, cell)
        return run_command(words(line, "%normgrade COMMAND"), session_of(shell))

    shell.register_magic_function(normgrade, "line_cell")


def run_and_grade(shell: Shell, line: str, cell: str) -> Graded | None:
    """Run a cell as it would run without the magic, and grade it. Returns None if nothing is to be graded.

    Names that the cell takes from earlier cells are looked up before it runs, because it may rebind them.
    """
    order = ordered(words(line, f"{MAGIC} SLUG"))
    if order is None:
        return None
    source = completed(python(shell, cell), session_of(shell))
    result = shell.run_cell(cell)
    if isinstance(result.error_in_exec, KeyboardInterrupt):
        return None
    return graded(order, source, _("cell"))


# Both


@click.command(MAGIC, help=N_("Run the cell, and grade its code as a submission for SLUG."))
@click.argument("slug")
@grading_options
@course_option
def magic(slug: str, seed: int, timeout: float | None, required: str, course_folder: Path | None) -> Order:
    """Turn the arguments into an order; a UsageError if the exercise does not exist."""
    order = Order(slug, seed, timeout, required, None if course_folder is None else str(course_folder))
    order.exercise  # noqa: B018  (raises a UsageError if there is none)
    return order


def ordered(arguments: Sequence[str]) -> Order | None:
    """Parse the arguments, and switch to the language that they name. Returns None if they only asked for help."""
    speak(language_of(arguments))
    try:
        result = in_language(magic).main(arguments, prog_name=MAGIC, standalone_mode=False)
    except click.UsageError as error:
        raise UsageError(in_our_words(error)) from None
    return result if isinstance(result, Order) else None


def graded(order: Order, source: str, name: str) -> Graded:
    """Grade a source, under its name in the report."""
    early = ShownEarly()
    with as_file(order.exercise, source) as path:
        try:
            result = grade_apart(order, path, name, early.show)
        finally:
            early.clear()
    for report in result.reports:
        MEMORY.add(order.exercise, report)
    return result
