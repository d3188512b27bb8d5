"""Spots in a submission: of an exception that a worker reported, and of a node of the source."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from normgrade.inspection.program import Function, Program
from normgrade.inspection.source import position
from normgrade.worker.wire.observation import Error, Frame


class Spot(NamedTuple):
    """A line, counted from 1, and the characters of it that are meant; 0 and "" for anything unknown."""

    line: int = 0
    column: int = 0
    width: int = 0
    text: str = ""
    function: str = ""


SPOTLESS = Spot()


def spot_of(error: Error, program: Program) -> Spot:
    """Return the innermost spot in the submission; SPOTLESS if the exception names none. A worker may lie, so the source decides."""
    frame = innermost(error)
    if frame is None or not 1 <= frame.line <= len(program.lines):
        return SPOTLESS
    text = program.lines[frame.line - 1]
    column = min(frame.column, len(text))
    width = min(frame.width, len(text) - column + 1) if column else 0
    around = program.around(frame.line)
    return narrowed(Spot(frame.line, column, width, text, around.node.name if around else "<module>"), program)


def innermost(error: Error) -> Frame | None:
    """Return the innermost frame; for endless recursion, the one that occurs most often."""
    if "RecursionError" in error.types:
        return max(error.frames, key=error.frames.count, default=None)
    return error.frames[-1] if error.frames else None


def narrowed(spot: Spot, program: Program) -> Spot:
    """Return the spot of only the last name, if it is that of an attribute; else the same spot."""
    for node in program.on(spot.line):
        if isinstance(node, ast.Attribute) and spot_at(node, program)[:3] == spot[:3] and node.end_lineno == node.lineno:
            return spot._replace(column=spot.column + spot.width - len(node.attr), width=len(node.attr))
    return spot


def spot_at(node: ast.AST, program: Program) -> Spot:
    """Return the spot of a node, up to the end of its first line; for a function, the spot of its name."""
    line, column = position(program.lines, node)
    text = program.lines[line - 1]
    around = program.around(line)
    function = around.node.name if around else "<module>"
    if isinstance(node, Function) and (named := re.compile(rf"\bdef\s+({node.name})\b").search(text, column - 1)):
        return Spot(line, named.start(1) + 1, len(node.name), text, function)
    ends_here = getattr(node, "end_lineno", line) == line
    end = len(text.encode()[: getattr(node, "end_col_offset", 0)].decode(errors="ignore")) if ends_here else len(text.rstrip())
    return Spot(line, column, max(end - column + 1, 0), text, function)
