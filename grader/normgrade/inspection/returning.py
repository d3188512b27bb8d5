"""The results of a function and its changes to its arguments, as far as its text is certain."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from normgrade.inspection.program import Definition

GENERATES = ast.Yield | ast.YieldFrom


def ends_without_return(definition: Definition) -> ast.stmt | None:
    """Return the last statement of a function that never returns or yields a value; None if it does."""
    if [*values_returned(definition)] or any(isinstance(node, GENERATES) for node in definition.own):
        return None
    return definition.node.body[-1]


def only_return(definition: Definition) -> ast.expr | None:
    """Return the value that a function returns, if it has only one return statement with a value."""
    found = [*values_returned(definition)]
    return found[0] if len(found) == 1 else None


def values_returned(definition: Definition) -> Iterator[ast.expr]:
    return (node.value for node in definition.own if isinstance(node, ast.Return) and node.value is not None)


def overwritten(definition: Definition, number: int) -> ast.AST | None:
    """Return the first node that changes an input in place; None if that is uncertain. `number` counts the inputs from 1."""
    inputs = definition.parameters[definition.owner is not None :]
    if number > len(inputs):
        return None
    name = inputs[number - 1]
    for node in definition.own:
        if changes(node, name):
            return node
        if binds(node, name):
            return None
    return None


def changes(node: ast.AST, name: str) -> bool:
    """Return True if a node changes the tensor of that name: `x -= 1`, `x[0] = 1`, `x.sub_(1)`, `torch.sub(x, 1, out=x)`."""
    match node:
        case ast.AugAssign(target=ast.Name(id) | ast.Subscript(value=ast.Name(id)) | ast.Attribute(value=ast.Name(id), attr="data")):
            return id == name
        case ast.Assign(targets=targets):
            return any(isinstance(each, ast.Subscript) and is_name(each.value, name) for each in targets)
        case ast.Call(func=ast.Attribute(value=ast.Name(id), attr=method)) if method.endswith("_") and not method.endswith("__"):
            return id == name
        case ast.Call(keywords=keywords):
            return any(each.arg == "out" and is_name(each.value, name) for each in keywords)
    return False


def binds(node: ast.AST, name: str) -> bool:
    """Return True if a node binds the name to something else."""
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
