"""A source with numbered places: the text at each, the name of its value, and edits of the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeGuard

from normgrade.course.mistakes import Edit, applied
from normgrade.worker.untrusted.rewriting import Spot, SpotKind, rewritten

READABLE = 8  # characters that an old text has at least, if its line is long enough
Range = tuple[int, int]  # of characters in a text, from the first up to but not including the last


@dataclass(frozen=True, eq=False)
class Source:
    """A source and its places. A source that is not valid Python has no places."""

    text: str
    spots: Sequence[Spot]

    @cached_property
    def starts(self) -> list[int]:
        """The index of the first character of each line."""
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> dict[Range, list[ast.AST]]:
        """The nodes of the tree by their range of characters, the outermost first."""
        found: dict[Range, list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr | ast.stmt):
                found.setdefault(self.range_of(node), []).append(node)
        return found

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def offset(self, line: int, column: int) -> int:
        """Return the index of the character at a line, from 1, and a column, in bytes from 0."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode(errors="replace"))

    def range_of(self, node: ast.expr | ast.stmt | Spot) -> Range:
        """Return the range of characters of a node or a place."""
        if isinstance(node, Spot):
            return self.offset(node.line, node.column), self.offset(node.end_line, node.end_column)
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def text_of(self, node: ast.expr | ast.stmt | Spot) -> str:
        start, end = self.range_of(node)
        return self.text[start:end]

    def expression(self, place: int) -> ast.expr | None:
        """Return the expression at a place; for an assignment or an update, its right side. None if there is none."""
        found = self.nodes.get(self.range_of(self.spots[place]), [])
        if self.spots[place].kind is SpotKind.UPDATED:
            return next((node.value for node in found if isinstance(node, ast.AugAssign | ast.Assign)), None)
        if self.spots[place].kind is SpotKind.UNPACKED:
            statement = next((each for node in found for each in self.above(node) if isinstance(each, ast.Assign)), None)
            return None if statement is None else statement.value
        return next((node for node in found if isinstance(node, ast.expr)), None)

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def function(self, node: ast.AST) -> ast.AST:
        """Return the function that contains a node, or the module."""
        return next((each for each in self.above(node) if isinstance(each, ast.FunctionDef)), self.tree)

    def name_of(self, place: int) -> str:
        """Return the name that the value at a place is assigned to; "" if it has none."""
        spot = self.spots[place]
        found = self.nodes.get(self.range_of(spot), [])
        if spot.kind is SpotKind.UNPACKED:
            return self.text_of(spot)
        if spot.kind is SpotKind.UPDATED:
            targets = (node.target if isinstance(node, ast.AugAssign) else node.targets[0] for node in found if is_assignment(node))
            return next(map(last_name, targets), "")
        return next(filter(None, (self.assigned_to(node) for node in found if isinstance(node, ast.expr))), "")

    def assigned_to(self, node: ast.expr) -> str:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Assign):
            return last_name(parent.targets[0])
        if isinstance(parent, ast.Tuple) and isinstance(whole := self.parents.get(parent), ast.Assign):
            target = whole.targets[0]
            if isinstance(target, ast.Tuple) and len(target.elts) == len(parent.elts):
                return last_name(target.elts[parent.elts.index(node)])
        return ""

    def uses(self, place: int, name: str, other: int) -> bool:
        """Return True if the expression at a place contains a name, and is in the same function as another place."""
        node, made = self.expression(place), self.expression(other)
        if node is None or made is None or self.function(node) is not self.function(made):
            return False
        return any(own_name(each) == name for each in ast.walk(node))

    def definition(self, name: ast.Name) -> ast.expr | None:
        """Return the value that is assigned to a name in its function, if there is only one assignment."""
        found = []
        for node in ast.walk(self.function(name)):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    pairs = [(target, node.value)]
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                        pairs = [*zip(target.elts, node.value.elts, strict=False)]
                    found += [value for each, value in pairs if isinstance(each, ast.Name) and each.id == name.id]
        return found[0] if len(found) == 1 else None

    def changed(self, edits: Sequence[Edit]) -> str | None:
        """Return the text after edits; None if two of them overlap."""
        return applied(self.text, edits)

    def as_texts(self, edits: Sequence[Edit]) -> list[list[str]]:
        """Return edits as pairs: an old text that occurs once, and a new text."""
        found = []
        for edit in edits:
            start, end = self.unique(edit)
            found.append([self.text[start:end], self.text[start : edit.start] + edit.new + self.text[edit.end : end]])
        return found

    def unique(self, edit: Edit) -> Range:
        """Return a range around an edit whose text occurs once: a few words of its line that end with it, or more than that line."""
        line = self.text.rfind("\n", 0, edit.start) + 1
        for start in range(edit.start, line - 1, -1):
            begins = start == line or not (self.text[start - 1].isalnum() and self.text[start].isalnum())
            if begins and edit.end - start >= READABLE and self.text.count(self.text[start : edit.end]) == 1:
                return start, edit.end
        start, end = line, edit.end
        while self.text.count(self.text[start:end]) > 1 and end - start < len(self.text):
            start, end = max(0, start - 1), min(len(self.text), end + 1)
        return start, end


@lru_cache(64)
def source_of(text: str) -> Source:
    """Return a source with its places."""
    try:
        return Source(text, rewritten(text).spots)
    except (SyntaxError, ValueError, RecursionError):
        return Source(text, ())


def is_assignment(node: ast.AST) -> TypeGuard[ast.Assign | ast.AugAssign]:
    return isinstance(node, ast.Assign | ast.AugAssign)


def last_name(target: ast.expr) -> str:
    """Return the name of an assignment's target: "mean" for `self.mean` and `mean[0]`."""
    match target:
        case ast.Subscript(value=value):
            return last_name(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def own_name(node: ast.AST) -> str:
    """Return the name of a variable, or of an attribute of `self`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case _:
            return ""
