"""Grading inside a notebook or Python: `%%normgrade layer_norm` on a cell, or `normgrade.check(LayerNorm)`."""

from __future__ import annotations

import ast
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from normgrade.cli import COMMANDS as ALL
from normgrade.cli import USAGE, in_language, in_our_words, language_of
from normgrade.cli.answers import in_words
from normgrade.cli.check import grading_options
from normgrade.cli.options import course_option
from normgrade.course.exercise import Exercise
from normgrade.inspection.source import parse
from normgrade.language import N_, _, speak
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.language.text import lines_of
from normgrade.learner.hints import hints_of
from normgrade.learner.standing import Attempt
from normgrade.learner.workspace import Workspace, find_course
from normgrade.notebook.apart import Graded, Order, ShownEarly, as_file, grade_apart, run_apart
from normgrade.notebook.sent_source import Prelude, cell_with_needs, definitions, exercise_for, name_of, text_of
from normgrade.report.report import Outcome, Report

# Commands of the terminal that help with an exercise: `%normgrade hint layer_norm`
#
# They take the same words. Each runs in its own process, as grading does, because some play the reference. In a folder without a workspace,
# the session remembers the checks that ran and the hints that were given.


COMMANDS = tuple(name for name in ("list", "show", "hint", "explain", "solution", "try") if name in ALL)
DOCUMENTS = ("show", "solution")  # these print Markdown or a Python file


@dataclass
class Memory:
    """The last attempt at each exercise, by slug, the identities of the hints that were given, and the slugs that passed."""

    attempts: dict[str, tuple[Exercise, Attempt]] = field(default_factory=dict)
    given: set[tuple[str, str]] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)

    def add(self, exercise: Exercise, report: Report) -> None:
        """Remember the report on a check."""
        self.attempts[exercise.slug] = exercise, Attempt.of(report, datetime.now(UTC))
        self.passed |= {exercise.slug} if report.outcome is Outcome.PASSED else set()

    def answers(self, arguments: Sequence[str]) -> bool:
        """Return True if a command asks for the next hint, and only this session knows about the checks."""
        return len(arguments) == 2 and arguments[0] == "hint" and arguments[1] in self.attempts and Workspace.find() is None

    def next_hint(self, slug: str) -> str:
        """Return the next hint that was not given yet, in the words of `normgrade hint`."""
        exercise, last = self.attempts[slug]
        if last.passed:
            return _("{slug} passed your last check, so there are no hints.", slug=slug)
        left = [hint for hint in hints_of(exercise, last) if (slug, hint.identity) not in self.given]
        self.given |= {(slug, hint.identity) for hint in left[:1]}
        return "\n".join(in_words(exercise, left))


MEMORY = Memory()


@dataclass(frozen=True, repr=False)
class Output:
    """Markdown that a notebook renders. Outside a notebook it is the text that the command printed."""

    text: str
    markdown: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        return self.text.rstrip("\n")


def run_command(arguments: Sequence[str], cells: Sequence[str]) -> Output | None:
    """Run a command. It prints its output as in a terminal; in a notebook, a document is returned to be rendered."""
    speak(language_of(arguments))
    if not arguments:
        print(usage())
        return None
    refuse_unless_known(arguments[0])
    if MEMORY.answers(arguments):
        print(MEMORY.next_hint(arguments[1]))
        return None
    if arguments[0] == "solution" and not MEMORY.passed.isdisjoint(arguments):
        return run([*arguments, "--spoil"])
    if arguments[0] != "try":
        return run(arguments)
    with with_own_file(arguments, cells) as completed:
        return run(completed)


def run(arguments: Sequence[str]) -> Output | None:
    """Run a known command."""
    if sys.stdout.isatty():
        run_apart("cli", [*arguments], captured=False)
        return None
    done = run_apart("cli", [*arguments])
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode == USAGE:
        raise UsageError(said.rpartition(_("Error: {message}", message=""))[2].strip())
    print(said, end="", file=sys.stderr)
    return shown(arguments[0], done.stdout.decode("utf-8", "replace"))


def usage() -> str:
    """Return the help of `%normgrade` and `%%normgrade`."""
    ways = "\n".join(f"  %normgrade {name}{'' if name == 'list' else ' …'}" for name in COMMANDS)
    grades = _(
        "Write `%%normgrade SLUG` in the first line of a cell to grade the cell. "
        "These commands work as in a terminal; use --help for details:"
    )
    return f"{grades}\n{ways}"


def refuse_unless_known(name: str) -> None:
    """Raise a UsageError if no such command works in a notebook."""
    if name in COMMANDS:
        return
    if name in ALL:
        raise UsageError(
            _("`normgrade {name}` works only in a terminal. In a notebook, use one of {known}.", name=name, known=", ".join(COMMANDS))
        )
    if name in find_course(None).slugs:
        raise UsageError(_("Write `%%normgrade {slug}`, with two %, in the first line of a cell to grade the cell.", slug=name))
    meant = did_you_mean(name, COMMANDS)
    raise UsageError(_('No command named "{name}".{meant} Run `%normgrade` to see all commands.', name=name, meant=meant))


@contextmanager
def with_own_file(arguments: Sequence[str], cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """Add `--file` to the arguments of `try`, with the classes and functions that the cells define for the exercise.

    If there are none, the arguments are unchanged.
    """
    course, known = find_course(None), Prelude(cells).known
    exercise = next((course.exercise(each) for each in arguments if each in course.slugs), None)
    names = [] if exercise is None else [signature.name for signature in exercise.defines if signature.name in known]
    if exercise is None or not names:
        yield arguments
        return
    with as_file(exercise, definitions(names, cells)) as path:
        yield [arguments[0], "--file", str(path), *arguments[1:]]  # if the user named a file, it comes later and takes precedence


def shown(name: str, text: str) -> Output | None:
    """Return a document to be rendered, or print the text."""
    if name in DOCUMENTS and isinstance(tree := parse(text), ast.Module) and tree.body:
        return Output(text, f"~~~~python\n{text.rstrip()}\n~~~~")
    if name in DOCUMENTS and text.startswith("# "):
        return Output(text, text)
    print(text, end="")
    return None


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
