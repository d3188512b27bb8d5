"""The execution of a source. Of a notebook, statement after statement runs, and what fails is left out."""

from __future__ import annotations
import __future__

import ast
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import FrameType, ModuleType
from typing import Any

from normgrade.language import _
from normgrade.language.text import in_cells
from normgrade.worker.untrusted.exceptions import LINE_LIMIT, describe
from normgrade.worker.wire.observation import Error

WITHIN_S, LEAST_S = 4.0, 0.05  # for all cells, which is less than for an answer; for one statement, if no time is left
MOST_TOLD = 100  # statements
Failures = dict[ast.stmt, BaseException]


class Shell:
    """A stand-in for the shell of IPython: whatever it is asked to run does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: None


def execute(source: str, module: ModuleType, failed: Failures, tree: ast.Module | None = None) -> None:
    """Execute a source, or a tree that was made of it, in a module.

    In cells, the statements that fail, or take more than half of the time that is left, are added to `failed`. Without cells, an exception
    is raised.
    """
    file_name = module.__file__ or ""
    if not in_cells(source):
        exec(compile(tree or source, file_name, "exec", dont_inherit=True, optimize=0), vars(module))
        return
    vars(module).update(get_ipython=Shell, display=lambda *args, **options: None)
    until, flags = time.monotonic() + WITHIN_S, 0
    for statement in (tree or ast.parse(source)).body:
        try:
            code = compile(ast.Module([statement], []), file_name, "exec", flags, dont_inherit=True, optimize=0)
            flags |= code.co_flags & __future__.annotations.compiler_flag  # it counts for all later cells
            with stopped_after(max((until - time.monotonic()) / 2, LEAST_S), file_name):
                exec(code, vars(module))
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the submission has raised them
            failed[statement] = error


@contextmanager
def stopped_after(seconds: float, file_name: str) -> Iterator[None]:
    """Raise TimeoutError in the block after so many seconds, at the next line of this file: walls allow neither timers nor threads."""
    until, before = time.monotonic() + seconds, sys.gettrace()

    def trace(frame: FrameType, _event: str, _arg: object) -> Any:
        if time.monotonic() > until:
            raise TimeoutError(_("no end after {seconds:.1f} s", seconds=seconds))
        return trace if frame.f_code.co_filename == file_name else None

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def raise_cause(module: ModuleType, defines: Iterable[str], failed: Failures) -> None:
    """Raise the exception that left a name undefined which the module should define: that of the first statement with the name, if any."""
    for name in defines:
        if failed and not hasattr(module, name):
            raise failed[next((statement for statement in failed if has(statement, name)), next(iter(failed)))]


def has(statement: ast.stmt, name: str) -> bool:
    """Return True if a statement defines a name, or mentions it."""
    return any(name in (getattr(node, "name", ""), getattr(node, "id", "")) for node in ast.walk(statement))


def in_words(failed: Failures) -> dict[str, str]:
    """Return the class of each exception and the first line of its message, by the line of the statement that failed."""
    return {str(statement.lineno): in_a_line(describe(error, None)) for statement, error in islice(failed.items(), MOST_TOLD)}


def in_a_line(error: Error) -> str:
    return ": ".join(filter(None, (error.types[0], error.message.partition("\n")[0][:LINE_LIMIT])))
