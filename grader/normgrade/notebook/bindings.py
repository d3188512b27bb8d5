"""The names that a source binds, and the names that it uses."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import decode_source
from pathlib import Path
from symtable import SymbolTable, symtable

from normgrade.course.files import read_plain
from normgrade.inspection.source import parse
from normgrade.language.text import lines_of

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
LARGEST_BYTES = 1024**2  # of a file that defines the graded code
POSTPONED = "from __future__ import annotations\n"


def text_of(file_name: str) -> str:
    """Return the text of a cell or of a file; "" if it is unknown.

    Code can choose any name for its file, so only plain files are opened.
    """
    linecache.checkcache(file_name)
    match linecache.cache.get(file_name):
        case (_size, _changed, lines, _path):
            return "".join(lines)
    path = next(filter(os.path.isfile, places_of(file_name)), None)
    try:
        return "" if path is None else decode_source(read_plain(Path(os.path.realpath(path)), LARGEST_BYTES))
    except (OSError, SyntaxError, UnicodeDecodeError):  # the last two if its encoding is wrong
        return ""


def places_of(file_name: str) -> Iterator[str]:
    """Yield the paths at which a file may lie, as `linecache` looks for it; none if it is not the name of a file, as in "<string>"."""
    if not (file_name.startswith("<") and file_name.endswith(">")):
        yield file_name
        yield from (os.path.join(folder, file_name) for folder in sys.path if isinstance(folder, str))


@lru_cache(maxsize=256)
def statements(text: str) -> tuple[ast.stmt, ...]:
    """Return the statements of a module in order, with those in its branches and loops; empty if the text is not valid Python."""
    tree = parse(text)

    def within(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        for each in body:
            yield each
            if not isinstance(each, Definition):
                blocks = [getattr(each, name, []) for name in ("body", "orelse", "finalbody")]
                blocks += [part.body for name in ("handlers", "cases") for part in getattr(each, name, [])]
                yield from within(inner for block in blocks for inner in block)

    return tuple(within(tree.body)) if isinstance(tree, ast.Module) else ()


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds or deletes itself, without those in its blocks."""
    if isinstance(statement, Definition):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    held = [item.optional_vars for item in getattr(statement, "items", [])]
    targets = [*getattr(statement, "targets", []), getattr(statement, "target", None), *held]
    nodes = [node for target in targets if target is not None for node in ast.walk(target)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}


def binding(text: str, name: str) -> ast.stmt | None:
    """Return the last statement that binds a name at the top level."""
    return next((each for each in reversed(statements(text)) if name in bound(each)), None)


def at_line(text: str, name: str, line: int) -> ast.stmt | None:
    """Return the definition with this name that contains the line; for a lambda, the statement that names it."""
    tree = parse(text)
    for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
        fits = node.name == name if isinstance(node, Definition) else name == "<lambda>" and is_named_lambda(node)
        if fits and isinstance(node, ast.stmt) and first_line(node) <= line <= (node.end_lineno or 0):
            return node
    return None


def is_named_lambda(node: ast.AST) -> bool:
    """Return True if a statement is `name = lambda …`, with one name and nothing else."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Lambda()):
            return True
    return False


def first_line(statement: ast.stmt) -> int:
    """Return the first line of a statement, including its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min(statement.lineno, *(each.lineno for each in decorators)) if decorators else statement.lineno


def future_imports(text: str) -> list[ast.ImportFrom]:
    return [each for each in statements(text) if isinstance(each, ast.ImportFrom) and each.module == "__future__"]


def futures(text: str) -> set[str]:
    return {alias.name for each in future_imports(text) for alias in each.names}


def without(text: str, unwanted: Iterable[ast.stmt]) -> str:
    """Return the text without some of its statements; the other lines keep their numbers."""
    lines = lines_of(text)
    for each in unwanted:
        first, last = each.lineno - 1, (each.end_lineno or each.lineno) - 1
        before, after = lines[first].encode()[: each.col_offset].decode(), lines[last].encode()[each.end_col_offset :].decode()
        lines[first : last + 1] = [""] * (last - first + 1)
        lines[first] = f"{before}pass{after}" if before.strip() or after.strip() else ""
    return "\n".join(lines)


def tables(source: str) -> SymbolTable:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape is no concern of the grader
        return symtable(source, "<source>", "exec")


def uses(source: str, postponed: bool = False) -> tuple[set[str], set[str]]:
    """Return the global names that a source reads when it is executed, and those that its functions read when they are called.

    Postponed annotations are not evaluated, so they need no names.
    """
    at_once: set[str] = set()
    later: set[str] = set()

    def look(table: SymbolTable, names: set[str]) -> None:
        for each in table.get_symbols():
            if each.is_global() and (each.is_referenced() or each.is_declared_global()):
                names.add(each.get_name())
        for inner in table.get_children():
            look(inner, later if inner.get_type() in ("function", "annotation") else names)

    look(tables(f"{POSTPONED}{source}" if postponed else source), at_once)
    return at_once, later


def taken(cell: str, postponed: bool = False) -> set[str]:
    """Return the names that a cell needs from earlier cells: those that it never binds, and those that it reads before it binds them."""
    postponed = postponed or "annotations" in futures(cell)
    at_once, later = uses(without(cell, future_imports(cell)), postponed)
    names = (at_once | later) - {each.get_name() for each in tables(cell).get_symbols() if each.is_assigned() or each.is_imported()}
    so_far: set[str] = set()
    for statement in statements(cell):
        if isinstance(statement, Definition) or not (hasattr(statement, "body") or isinstance(statement, ast.Match)):
            names |= uses(ast.unparse(statement), postponed)[0] - so_far
        so_far |= bound(statement)
    return names
