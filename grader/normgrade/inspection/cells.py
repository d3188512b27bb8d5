"""The cells of a notebook that was saved as a script. What cannot run is left out: only the cells that define what is asked for decide."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from normgrade.inspection.source import parse
from normgrade.language import _, n_
from normgrade.language.text import CELL, lines_of
from normgrade.report.report import Finding

SHOWN = 60  # characters of a line of code
MOST_TOLD = 3  # cells


def readable(source: str) -> tuple[str, list[Finding]]:
    """Return a source with those cells as comments that are not Python, and the finding about each. The lines keep their numbers."""
    lines, broken = lines_of(source), []
    for first, last in cells_in(lines):
        found = parse("\n" * first + "\n".join(lines[first:last]))
        if isinstance(found, Finding):
            broken.append(found if found.line else Finding(first + 1, 1, found.rule, found.text))
            comment_out(lines, first, last)
    return "\n".join(lines) if broken else source, broken


def cells_in(lines: list[str]) -> list[tuple[int, int]]:
    """Return the first line of each cell, counted from 0, and the line after it. Lines above the first cell belong to it."""
    heads = [number for number, line in enumerate(lines) if CELL.fullmatch(line)]
    return [*zip([0, *heads[1:]], [*heads[1:], len(lines)], strict=True)] if heads else []


def comment_out(lines: list[str], first: int, last: int) -> None:
    """Make these lines comments. The comments above cells stay as they are."""
    lines[first:last] = [f"# {line}" if line.strip() and not CELL.fullmatch(line) else line for line in lines[first:last]]


def without(source: str, statements: Iterable[ast.stmt]) -> str:
    """Return a source with the lines of these statements as comments; a whole cell if it is not Python without them."""
    lines = lines_of(source)
    for each in statements:
        comment_out(lines, each.lineno - 1, each.end_lineno or each.lineno)
    return readable("\n".join(lines))[0]


def told_of_cells(source: str, left_out: Mapping[int, str]) -> tuple[str, ...]:
    """Return a sentence for each cell of which a statement did not run. `left_out` has the reasons by the lines of statements."""
    lines, told = lines_of(source), []
    for number, (first, last) in enumerate(cells_in(lines), 1):
        line = min((line for line in left_out if first < line <= last), default=0)
        if line:
            code = lines[line - 1].removeprefix("# ").strip()
            where = {"cell": number, "line": line, "code": code if len(code) <= SHOWN else f"{code[:SHOWN]}…"}
            told.append(_("Cell {cell} did not run as a whole: line {line}, `{code}`: {why}", **where, why=left_out[line]))
    if more := len(told[MOST_TOLD:]):
        told[MOST_TOLD:] = [n_("{n} more cell did not run as a whole.", "{n} more cells did not run as a whole.", more)]
    return tuple(told)
