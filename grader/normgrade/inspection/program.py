"""A source as a program, as far as its text is certain: its functions, the statements of its lines, its imports."""

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
    """A function of the source, with its qualified name, as in "LayerNorm.forward", and its class if it is a method."""

    name: str
    node: Function
    owner: ast.ClassDef | None = None

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters by position."""
        return [each.arg for each in (*self.node.args.posonlyargs, *self.node.args.args)]

    @cached_property
    def own(self) -> list[ast.AST]:
        """The nodes of the function in their order, without those inside nested functions and classes."""
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
        """All functions, including nested ones."""
        return [*definitions_in(self.tree.body, "", None)]

    def called(self, name: str) -> Definition | None:
        """Return the function of that name, if there is only one."""
        found = [each for each in self.definitions if each.name == name]
        return found[0] if len(found) == 1 else None

    def around(self, line: int) -> Definition | None:
        """Return the innermost function around a line."""
        found = [each for each in self.definitions if each.node.lineno <= line <= (each.node.end_lineno or 0)]
        return max(found, key=lambda each: each.node.lineno, default=None)

    def statement(self, line: int) -> ast.stmt | None:
        """Return the innermost statement around a line."""
        found = [node for node in self.nodes if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)]
        return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    def on(self, line: int) -> list[ast.AST]:
        """Return the nodes that begin on a line."""
        return [node for node in self.nodes if getattr(node, "lineno", 0) == line]

    @cached_property
    def imports(self) -> dict[str, str]:
        """The names that an import binds, anywhere in the source, each with the dotted name that it stands for."""
        found = {}
        for node in self.nodes:
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = f"{module}{alias.name}" if alias.asname or module else name
        return found

    def dotted(self, node: ast.AST) -> str:
        """Return the dotted name that an expression spells, with the import of its first part resolved; "" for any other expression."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imports.get(node.id, node.id), *reversed(parts)])


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope in their order, without those inside nested scopes, at any depth."""
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
    """Return the program of a source; None if Python cannot parse it."""
    tree = parse(source)
    return Program(lines_of(source), tree) if isinstance(tree, ast.Module) else None
