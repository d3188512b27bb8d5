"""The program that a source is, as far as its text is certain: its functions, the statements of its lines, its imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from normgrade.inspection.source import parse
from normgrade.language.text import lines_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True, eq=False)
class Definition:
    """A function of the source, with the name that Python gives it, as in "LayerNorm.forward", and the class that it is a method of."""

    name: str
    node: Function
    owner: ast.ClassDef | None = None

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters by position."""
        return [each.arg for each in (*self.node.args.posonlyargs, *self.node.args.args)]

    @cached_property
    def own(self) -> list[ast.AST]:
        """The nodes of its body, without those of functions and classes in it, in their order."""
        return [*within(self.node)]


@dataclass(frozen=True, eq=False)
class Program:
    """A source that Python can parse."""

    lines: list[str]
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of its tree."""
        return [*ast.walk(self.tree)]

    @cached_property
    def definitions(self) -> list[Definition]:
        """All functions, those in functions too."""
        return [*definitions_in(self.tree.body, "", None)]

    def called(self, name: str) -> Definition | None:
        """The function of that name, if there is one only."""
        found = [each for each in self.definitions if each.name == name]
        return found[0] if len(found) == 1 else None

    def around(self, line: int) -> Definition | None:
        """The innermost function that a line belongs to."""
        found = [each for each in self.definitions if each.node.lineno <= line <= (each.node.end_lineno or 0)]
        return max(found, key=lambda each: each.node.lineno, default=None)

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that a line belongs to."""
        found = [node for node in self.nodes if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)]
        return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    def on(self, line: int) -> list[ast.AST]:
        """The nodes that begin on a line."""
        return [node for node in self.nodes if getattr(node, "lineno", 0) == line]

    @cached_property
    def imports(self) -> dict[str, str]:
        """The names that an import binds, anywhere in the source, each with what it stands for."""
        found = {}
        for node in self.nodes:
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = f"{module}{alias.name}" if alias.asname or module else name
        return found

    def dotted(self, node: ast.AST) -> str:
        """The dotted name that an expression spells, with what its first part was imported as; "" for any other."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imports.get(node.id, node.id), *reversed(parts)])


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of the scopes in it, in their order; no depth is too large."""
    rest = [*ast.iter_child_nodes(scope)][::-1]
    while rest:
        yield (node := rest.pop())
        if not isinstance(node, SCOPES):
            rest += [*ast.iter_child_nodes(node)][::-1]


def definitions_in(body: list[ast.stmt], prefix: str, owner: ast.ClassDef | None) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, Function):
            yield Definition(prefix + node.name, node, owner)
            yield from definitions_in(node.body, f"{prefix}{node.name}.<locals>.", None)
        elif isinstance(node, ast.ClassDef):
            yield from definitions_in(node.body, f"{prefix}{node.name}.", node)
        else:
            blocks = (getattr(node, name, []) for name in ("body", "orelse", "finalbody", "handlers"))
            for block in blocks:
                yield from definitions_in([*block], prefix, owner)


@lru_cache(maxsize=16)
def program_of(source: str) -> Program | None:
    """The program that a source is; None if Python cannot parse it."""
    tree = parse(source)
    return Program(lines_of(source), tree) if isinstance(tree, ast.Module) else None
