"""Rewriting of a source so that every sub-expression in a function reports its value: `x - mean` becomes `report(7, report(6, x) - …)`.

The places are numbered in the order of the walk. Two processes that rewrite the same source number them alike, so that a number is enough
to name a place. Positions in the tree stay those of the source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

REPORT = "__normgrade_report__"  # the function that is called with the number of a place and its value
COMPILED = re.compile(r"\b(jit|compile|script|trace|vmap|njit|numba)\b")  # in a decorator: compiled functions stay as they are
MOST_PLACES = 4000  # a source with more is not rewritten
S = TypeVar("S", bound=ast.stmt)


class SpotKind(StrEnum):
    """The kinds of places."""

    OPERATION = "operation"
    CALL = "call"
    ATTRIBUTE = "attribute"
    ITEM = "item"
    NAME = "name"
    UPDATED = "updated"  # the target of `+=` and similar, after it; of `x[0] = 1`, all of x
    UNPACKED = "unpacked"  # one name of several to which a tuple is assigned
    COPIED = "copied"  # a name or a number that is assigned to a name, or returned

    @property
    def makes(self) -> bool:
        """True if a value can be made here; elsewhere it is only read."""
        return self not in (SpotKind.NAME, SpotKind.ATTRIBUTE)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a source. Lines count from 1, columns from 0 and in bytes of UTF-8, as in `ast`."""

    kind: SpotKind
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The tree of a source in which every place reports its value, and the places by number."""

    tree: ast.Module
    spots: Sequence[Spot]


def rewritten(source: str) -> Rewritten:
    """Rewrite a source. Raises SyntaxError, ValueError or RecursionError if it is no Python."""
    tree, walk = ast.parse(source), Walk()
    walk.visit(tree)
    if len(walk.spots) > MOST_PLACES:
        return Rewritten(ast.parse(source), ())
    return Rewritten(ast.fix_missing_locations(tree), tuple(walk.spots))


@dataclass
class Walk(ast.NodeTransformer):
    """A walk that replaces expressions, from the inside out. Outside of functions nothing is replaced."""

    spots: list[Spot] = field(default_factory=list)
    inside: bool = False

    def reported(self, node: ast.expr, kind: SpotKind, value: ast.expr | None = None) -> ast.expr:
        """Return the call that reports the value of a node, or `value` in its place."""
        if not self.inside:
            return node
        call = ast.Call(ast.Name(REPORT, ast.Load()), [ast.Constant(self.place(node, kind)), value or node], [])
        return ast.copy_location(call, node)

    def place(self, node: ast.expr | ast.stmt, kind: SpotKind) -> int:
        """Add a place and return its number."""
        self.spots.append(Spot(kind, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0))
        return len(self.spots) - 1

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return the statements after the walk; some are followed by a new one."""
        found: list[ast.stmt] = []
        for each in body:
            new = self.visit(each)
            found.extend(new if isinstance(new, list) else [new])
        return found

    # Statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if any(COMPILED.search(ast.unparse(each)) for each in node.decorator_list):
            return node
        before, self.inside = self.inside, True
        node.body = self.statements(node.body)
        self.inside = before
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        before, self.inside = self.inside, False
        node.body = self.statements(node.body)
        self.inside = before
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.copied(node.value)
        unpacked = [each for target in node.targets if isinstance(target, ast.Tuple) for each in target.elts if isinstance(each, ast.Name)]
        parts = [whole for target in node.targets if (whole := whole_of(target)) is not None]
        if not self.inside:
            return [node]
        return [node, *map(self.assigned, unpacked), *(self.told(node, whole) for whole in parts)]

    def told(self, node: ast.Assign | ast.AugAssign, updated: ast.Name | ast.Attribute) -> ast.stmt:
        """Return the statement that reports the variable that another one has updated."""
        value = deepcopy(updated)
        value.ctx = ast.Load()
        call = ast.Call(ast.Name(REPORT, ast.Load()), [ast.Constant(self.place(node, SpotKind.UPDATED)), value], [])
        return ast.copy_location(ast.Expr(ast.copy_location(call, node)), node)

    def visit_Return(self, node: ast.Return) -> ast.Return:
        node.value = None if node.value is None else self.copied(node.value)
        return node

    def copied(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression that is assigned or returned. A plain name or float is reported as COPIED."""
        copied = isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) is float)
        found: ast.expr = self.reported(node, SpotKind.COPIED) if copied else self.visit(node)
        return found

    def assigned(self, name: ast.Name) -> ast.stmt:
        """Return the statement that reports the value of a name, and assigns it again."""
        value = self.reported(name, SpotKind.UNPACKED, ast.copy_location(ast.Name(name.id, ast.Load()), name))
        return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name.id, ast.Store()), name)], value), name)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.value = None if node.value is None else self.visit(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        updated = node.target if isinstance(node.target, ast.Name | ast.Attribute) else whole_of(node.target)
        return [node] if updated is None or not self.inside else [node, self.told(node, updated)]

    def as_it_is(self, node: S) -> S:
        return node

    visit_AsyncFunctionDef = visit_Raise = visit_Assert = visit_Import = visit_ImportFrom = visit_Delete = as_it_is
    visit_Global = visit_Nonlocal = visit_Match = as_it_is

    # Expressions

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self.reported(node, SpotKind.OPERATION)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.operand, ast.Constant):
            return node
        self.generic_visit(node)
        return self.reported(node, SpotKind.OPERATION)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return self.reported(node, SpotKind.OPERATION)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [each if isinstance(each, ast.Starred) else self.visit(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return self.reported(node, SpotKind.CALL)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return node
        if not isinstance(node.value, ast.Name):
            node.value = self.visit(node.value)
        return self.reported(node, SpotKind.ATTRIBUTE)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return node
        node.value = self.visit(node.value)
        return self.reported(node, SpotKind.ITEM)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.reported(node, SpotKind.NAME) if isinstance(node.ctx, ast.Load) else node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        node.body = self.visit(node.body)
        return node

    def left_alone(self, node: ast.expr) -> ast.expr:
        return node

    visit_Compare = visit_JoinedStr = visit_Starred = left_alone


def whole_of(target: ast.expr) -> ast.Name | ast.Attribute | None:
    """Return the array that a target is an item of, if it has a name."""
    if not isinstance(target, ast.Subscript):
        return None
    whole = target.value
    return whole if isinstance(whole, ast.Name) or (isinstance(whole, ast.Attribute) and isinstance(whole.value, ast.Name)) else None
