"""The IPython shell that runs this code, with its cells as source that can run outside of it."""

from __future__ import annotations
import __future__

import ast
import shlex
import sys
from typing import Any

from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.notebook.bindings import statements, without
from normgrade.notebook.standalone import Session

Shell = Any  # IPython's InteractiveShell; few of its methods have types


def session() -> Session:
    """Return the session of the current notebook or IPython; an empty session in plain Python."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return Session() if shell is None else session_of(shell)


def session_of(shell: Shell) -> Session:
    """Return the session of a shell, with the cells that other magics ran."""
    typed = [] if shell.history_manager is None else shell.history_manager.input_hist_raw
    cells = [python(shell, cell.partition("\n")[2] if cell.startswith("%%") else cell) for cell in reversed(typed)]
    postponed = bool(shell.compile.flags & __future__.annotations.compiler_flag)
    return Session(shell.user_global_ns, cells, shell.user_ns_hidden, postponed)


def python(shell: Shell, cell: str) -> str:
    """Return a cell as Python, without the lines that only the notebook understands: `%matplotlib inline`, `!pip list`."""
    try:
        source = shell.transform_cell(cell)
    except SyntaxError:
        return cell
    return without(source, [each for each in statements(source) if isinstance(each, ast.Expr | ast.Assign) and asks_shell(each)])


def asks_shell(statement: ast.stmt) -> bool:
    """Return True if a statement calls `get_ipython`, as IPython's translation of every line that is not Python does."""
    return any(isinstance(node, ast.Name) and node.id == "get_ipython" for node in ast.walk(statement))


def words(line: str, usage: str) -> list[str]:
    """Return the words of a magic's line, which are quoted as in a shell. `usage` is the form of the line, for the UsageError."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(_('"{line}" cannot be read ({error}). Use {usage}.', line=line, error=error, usage=usage)) from None
