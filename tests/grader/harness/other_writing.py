"""Sources that do the same and are written in another way: other names, another order, other words, code that does nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

ASSIGNMENT = ast.Assign | ast.AugAssign | ast.AnnAssign
NOTHING = """
def first_digits(self, value, other=3):
    total = 0
    for index in range(other):
        if index % 2 == 0 and value is not None:
            total += index * other
        else:
            total -= len(str(index))
    return [each for each in sorted(str(total)) if each.isdigit()]
"""
UNUSED = "unused = [3, 5][0] if 4 > 2 else None"


class Renaming(ast.NodeTransformer):
    """Give variables other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node


def locals_renamed(tree: ast.Module) -> ast.Module:
    """Give every variable of a function another name. Parameters, attributes and names of the module stay."""
    nodes = [*ast.walk(tree)]
    stored = {name for node in nodes if isinstance(node, ast.FunctionDef) for name in stored_in(node)}
    kept = {node.arg for node in nodes if isinstance(node, ast.arg)} | {name for each in nodes for name in not_local(each)}
    return Renaming({name: f"my_{name}" for name in stored if name not in kept}).visit(tree)  # type: ignore[no-any-return]


def stored_in(statement: ast.stmt) -> Iterator[str]:
    return (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def not_local(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement makes known outside functions."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.Module | ast.ClassDef):
        yield from (name for each in node.body if isinstance(each, ASSIGNMENT) for name in stored_in(each))


def with_other_words(tree: ast.Module) -> ast.Module:
    """Take the type hints away, and put another docstring into every function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None:
                del node.body[0]
            node.body.insert(0, ast.Expr(ast.Constant("Say the same in other words.")))
    return tree


def methods_reordered(tree: ast.Module) -> ast.Module:
    """Turn the order of the methods without decorators round, after everything else in their class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.decorator_list]
            node.body = [*(each for each in node.body if each not in methods), *reversed(methods)]
    return tree


def with_dead_code(tree: ast.Module) -> ast.Module:
    """Add a function that nobody calls, and a variable to every other one."""
    for node in [*ast.walk(tree)]:
        if isinstance(node, ast.FunctionDef):
            node.body.insert(len(node.body) - 1, ast.parse(UNUSED).body[0])
    owner = next((node for node in tree.body if isinstance(node, ast.ClassDef)), tree)
    owner.body.append(ast.parse(NOTHING).body[0])
    return tree
