"""Grading inside a notebook or Python: `%%normgrade layer_norm` on a cell, or `normgrade.check(LayerNorm)`."""

from __future__ import annotations

import ast
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from normgrade.cli import in_language, in_our_words, language_of
from normgrade.cli.check import grading_options
from normgrade.cli.options import course_option
from normgrade.language import N_, _, speak
from normgrade.language.errors import UsageError
from normgrade.language.text import lines_of
from normgrade.learner.workspace import find_course
from normgrade.notebook.apart import Order, as_file, grade_apart
from normgrade.notebook.commands import MEMORY, Output, run_command
from normgrade.notebook.graded import Graded, ShownEarly
from normgrade.notebook.sent_source import cell_with_needs, definitions, exercise_for, name_of, text_of

MAGIC = "%%normgrade"
Shell = Any  # IPython's InteractiveShell; few of its methods have types


# In Python


def check(*things: object, seed: int | str = 0, timeout_s: float | None = None, course: str | Path | None = None) -> Graded:
    """Grade one or more classes or functions: `normgrade.check(LayerNorm)`, or `normgrade.check("layer_norm", LayerNorm)`.

    If no slug comes first, the names determine the exercise. The source of the things is graded, with the imports, literals, functions and
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
    names, shell = [*map(name_of, things)], sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return graded(order, definitions(names, [*filter(None, map(text_of, things)), *cells_of(shell)]), ", ".join(names))


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
        return run_command(words(line, "%normgrade COMMAND"), cells_of(shell))

    shell.register_magic_function(normgrade, "line_cell")


def run_and_grade(shell: Shell, line: str, cell: str) -> Graded | None:
    """Run a cell as it would run without the magic, and grade it. Returns None if nothing is to be graded."""
    order = ordered(words(line, f"{MAGIC} SLUG"))
    if order is None:
        return None
    source = cell_with_needs(python(shell, cell), cells_of(shell))
    result = shell.run_cell(cell)
    if isinstance(result.error_in_exec, KeyboardInterrupt):
        return None
    return graded(order, source, _("cell"))


def cells_of(shell: Shell | None) -> list[str]:
    """Return the cells so far as Python, also those that other magics ran, the newest first; none outside of IPython."""
    typed = [] if shell is None or shell.history_manager is None else shell.history_manager.input_hist_raw
    return [python(shell, cell.partition("\n")[2] if cell.startswith("%%") else cell) for cell in reversed(typed)]


def python(shell: Shell, cell: str) -> str:
    """Return a cell as Python, without the lines that only the notebook understands: `%matplotlib inline`, `!pip list`."""
    try:
        source = shell.transform_cell(cell)
        statements = ast.parse(source).body
    except SyntaxError:
        return cell
    lines = lines_of(source)
    for each in statements:
        if isinstance(each, ast.Expr | ast.Assign) and any(getattr(node, "id", "") == "get_ipython" for node in ast.walk(each)):
            lines[each.lineno - 1 : each.end_lineno] = [""] * ((each.end_lineno or each.lineno) - each.lineno + 1)
    return "\n".join(lines)


def words(line: str, usage: str) -> list[str]:
    """Return the words of a magic's line, which are quoted as in a shell. `usage` is the form of the line, for the UsageError."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(_('"{line}" cannot be read ({error}). Use {usage}.', line=line, error=error, usage=usage)) from None


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
