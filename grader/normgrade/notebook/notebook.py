"""Grading where code is tried out: `%%normgrade layer_norm` on a cell, or `normgrade.check("layer_norm", LayerNorm)`."""

from __future__ import annotations
import __future__

import ast
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import click

from normgrade.cli import in_language, in_our_words, language_of
from normgrade.cli.check import grading_options
from normgrade.cli.options import course_option
from normgrade.course.files import own_folder, write_whole
from normgrade.language import N_, _, speak
from normgrade.language.errors import GraderError, UsageError
from normgrade.learner.workspace import Workspace
from normgrade.notebook.bindings import statements, without
from normgrade.notebook.isolated import Order, grade_apart
from normgrade.notebook.standalone import Session, completed, name_of, standalone
from normgrade.report.report import Outcome, Report

Shell = Any  # IPython's InteractiveShell, of whose methods few have types
MAGIC = "%%normgrade"


@dataclass(frozen=True, repr=False)
class Graded:
    """Reports that show themselves: as a picture in a notebook, as text elsewhere."""

    reports: tuple[Report, ...]

    @property
    def passed(self) -> bool:
        return all(report.outcome is Outcome.PASSED for report in self.reports)

    def _repr_html_(self) -> str:
        """Every display has ids of its own: one notebook may show many, some of them from before it was restarted."""
        from normgrade.report.render.html import render_fragment

        return render_fragment(self.reports, f"normgrade-{token_hex(6)}-")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        from normgrade.report.render.terminal import render_text

        return render_text(self.reports).rstrip("\n")


# In Python


def check(slug: str, *things: object, seed: int | str = 0, timeout_s: float | None = None, course: str | Path | None = None) -> Graded:
    """Grade what an exercise asks for, one class or function or several: `normgrade.check("layer_norm", LayerNorm)`.

    Their source is graded, with the imports, constants, functions and classes of the notebook or file that it uses. A seed is a whole
    number, or "random"; `timeout_s` is the time for all checks together; `course` is the folder of another course.
    """
    options = {"--seed": seed, "--timeout": timeout_s, "--course": course}
    order = ordered([*(f"{name}={value}" for name, value in options.items() if value is not None), "--", str(slug)])
    assert order is not None
    if not things:
        names = ", ".join(signature.name for signature in order.exercise.defines)
        raise UsageError(_('Nothing was passed to be graded. Call check("{slug}", {names}).', slug=order.slug, names=names))
    return graded(order, standalone(things, session()), ", ".join(map(name_of, things)))


def session() -> Session:
    """The session of the notebook or the IPython that this runs in; an empty one in plain Python."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return Session() if shell is None else session_of(shell)


# In a notebook


def load_ipython_extension(shell: Shell) -> None:
    """`%load_ext normgrade` makes `%%normgrade` known."""

    def normgrade(line: str, cell: str) -> Graded | None:
        """Run a cell, and grade it: `%%normgrade SLUG`. `%%normgrade --help` tells of the options."""
        with in_one_sentence():
            return run_and_grade(shell, line, cell)

    shell.register_magic_function(normgrade, "cell")


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Errors that a user can mend are shown as IPython shows its own, without a traceback."""
    from IPython.core.error import UsageError as Said

    try:
        yield
    except (UsageError, GraderError) as error:
        raise Said(str(error)) from None


def run_and_grade(shell: Shell, line: str, cell: str) -> Graded | None:
    """Run a cell as it would run without the magic, and grade it; None where nothing is to be graded.

    Names that the cell takes from earlier ones are looked up before it runs, since it may bind them anew.
    """
    order = ordered(words(line))
    if order is None:
        return None
    source = completed(python(shell, cell), session_of(shell))
    result = shell.run_cell(cell)
    if isinstance(result.error_in_exec, KeyboardInterrupt):
        return None
    return graded(order, source, _("cell"))


def words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(_('"{line}" cannot be read ({error}). Write {magic} SLUG.', line=line, error=error, magic=MAGIC)) from None


def session_of(shell: Shell) -> Session:
    """The session of a shell, with the cells that other magics ran."""
    typed = [] if shell.history_manager is None else shell.history_manager.input_hist_raw
    cells = [python(shell, cell.partition("\n")[2] if cell.startswith("%%") else cell) for cell in reversed(typed)]
    postponed = bool(shell.compile.flags & __future__.annotations.compiler_flag)
    return Session(shell.user_global_ns, cells, shell.user_ns_hidden, postponed)


def python(shell: Shell, cell: str) -> str:
    """A cell as Python, without what only the notebook understands: `%matplotlib inline`, `!pip list`."""
    try:
        source = shell.transform_cell(cell)
    except SyntaxError:
        return cell
    return without(source, [each for each in statements(source) if isinstance(each, ast.Expr | ast.Assign) and asks_shell(each)])


def asks_shell(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "get_ipython" for node in ast.walk(statement))


# Both


@click.command(MAGIC, help=N_("Run the cell, and grade what it holds as a submission for SLUG."))
@click.argument("slug")
@grading_options
@course_option
def magic(slug: str, seed: int, timeout: float | None, required: str, course_folder: Path | None) -> Order:
    """Turn the arguments into an order; a UsageError if the exercise does not exist."""
    order = Order(slug, seed, timeout, required, None if course_folder is None else str(course_folder))
    order.exercise  # noqa: B018  (which says so where there is none)
    return order


def ordered(arguments: Sequence[str]) -> Order | None:
    """Parse the arguments, and speak the language that they name; None if they only asked for help."""
    speak(language_of(arguments))
    try:
        result = in_language(magic).main(arguments, prog_name=MAGIC, standalone_mode=False)
    except click.UsageError as error:
        raise UsageError(in_our_words(error)) from None
    return result if isinstance(result, Order) else None


def graded(order: Order, source: str, name: str) -> Graded:
    with as_file(order, source) as path:
        return Graded(tuple(grade_apart(order, path, name)))


@contextmanager
def as_file(order: Order, source: str) -> Iterator[Path]:
    """Write the source to a file. In a workspace it stays, beside the attempts that are kept; elsewhere it is temporary."""
    workspace = Workspace.find()
    with TemporaryDirectory(prefix="normgrade-") if workspace is None else nullcontext(workspace.data / "notebook") as folder:
        path = Path(folder) / order.exercise.file_name
        try:
            if workspace is not None:
                own_folder(workspace.data)
                own_folder(path.parent)
            write_whole(path, source.encode(errors="surrogatepass"))
        except OSError as error:
            why = error.strerror
            raise UsageError(_('The source cannot be written to "{path}" ({why}). Free that place.', path=path, why=why)) from error
        yield path
