"""The changes that an edit made to a source, token by token."""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass
from difflib import SequenceMatcher

LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
Point = tuple[int, int]  # a line, from 1, and a byte of it, from 0: as in syntax trees


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a source, from a point to a point; both are the same if something was removed."""

    start: Point
    end: Point

    def touches(self, node: ast.AST | None) -> bool:
        """Return True if a node overlaps this piece. If the piece is empty, the node must contain its point."""
        if node is None:
            return False
        start, end = ends_of(node)
        return start <= self.start <= self.end <= end or (self.start < end and start < self.end)

    def apart(self, node: ast.AST | None) -> int:
        """Return the distance between the ends of a node and of this piece, in characters; a line counts as a thousand."""
        if node is None:
            return 0
        start, end = ends_of(node)
        return abs(as_number(start) - as_number(self.start)) + abs(as_number(end) - as_number(self.end))


def ends_of(node: ast.AST) -> tuple[Point, Point]:
    line, column, last, end = (getattr(node, name, 0) or 0 for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return (line, column), (last, end)


def as_number(point: Point) -> int:
    return point[0] * 1000 + point[1]


def changed(old: str, new: str) -> list[Span]:
    """Return the pieces of the new source that are not in the old one. May raise SyntaxError or ValueError."""
    before, after = tokens(old), tokens(new)
    matcher = SequenceMatcher(None, [text for text, _span in before], [text for text, _span in after], autojunk=False)
    pieces = [(start, end) for tag, _from, _to, start, end in matcher.get_opcodes() if tag != "equal"]
    telling = [(start, end) for start, end in pieces if [text for text, _span in after[start:end]] != ["("]]  # `)` says more
    return [span_of(after, start, end) for start, end in telling]


def span_of(after: list[tuple[str, Span]], start: int, end: int) -> Span:
    if start < end:
        return Span(after[start][1].start, after[end - 1][1].end)
    here = after[start - 1][1].end if start else (1, 0)
    return Span(here, here)


def tokens(source: str) -> list[tuple[str, Span]]:
    """Return the tokens of a source and their places, without comments and layout."""
    try:
        found = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in LAYOUT]
    except tokenize.TokenError as error:
        raise ValueError(error.args[0]) from error
    return [(token.string, Span(in_bytes(token.start, token.line), in_bytes(token.end, token.line))) for token in found]


def in_bytes(point: Point, line: str) -> Point:
    return point[0], len(line[: point[1]].encode())
