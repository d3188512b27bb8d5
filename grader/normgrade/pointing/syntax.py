"""Questions about the syntax tree of a module, answered without following any value."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
RECORDING = {"no_grad": False, "inference_mode": False, "enable_grad": True, "set_grad_enabled": True}  # if they are given True


# Modules and classes


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the names that an import gives to modules. Classes are left out: they begin with a capital letter."""
    for alias in node.names:
        if isinstance(node, ast.Import) or alias.name.islower():
            yield (alias.asname or alias.name).partition(".")[0]


def registered(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a source makes parameters or buffers, each with the way: the method's name, or "Parameter"."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="register_buffer" | "register_parameter" as how), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name, how
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]) if "Parameter" in ast.dump(node.value):
                yield name, "Parameter"


def is_autograd_function(owner: ast.ClassDef) -> bool:
    return any("Function" in ast.dump(base) for base in owner.bases)


# Functions


def parameters(function: Function) -> list[tuple[str, ast.expr | None]]:
    """Return the names of the parameters except for `self`, each with its default; None if it has no default."""
    found = function.args
    positional = [*found.posonlyargs, *found.args]
    defaults = [*[None] * (len(positional) - len(found.defaults)), *found.defaults, *found.kw_defaults]
    names = (argument.arg for argument in (*positional, *found.kwonlyargs))
    return [(name, default) for name, default in zip(names, defaults, strict=True) if name != "self"]


def ends(statements: Sequence[ast.stmt]) -> bool:
    """Return True if the statements end with a return or a raise, so that nothing after them is reached."""
    return bool(statements) and isinstance(statements[-1], ast.Return | ast.Raise)


def records(mode: ast.expr) -> bool | None:
    """Return True if gradients are recorded under a context manager or decorator, False if they are not; None if it does not say."""
    function, given = (mode.func, arguments(mode)) if isinstance(mode, ast.Call) else (mode, [])
    recording = RECORDING.get(last_name(function))
    match given:
        case []:
            return recording
        case [ast.Constant(value=bool(wanted))] if recording is not None:
            return recording is wanted
    return None


# Expressions


def arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def last_name(node: ast.expr) -> str:
    """Return the last name of a dotted name; "" for any other expression."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def state_name(value: ast.expr) -> str | None:
    """Return the attribute of `self` whose tensor this is: `self.x`, `self.x[…]`, `self.x.data` or `self.x.mul_(…)`; None otherwise."""
    while isinstance(value, ast.Subscript) or (isinstance(value, ast.Attribute) and value.attr == "data"):
        value = value.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr.endswith("_"):
        return state_name(value.func.value)
    match value:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return None


def is_slice(index: ast.expr) -> bool:
    """Return True if an index keeps a dimension, or adds one: `:`, `...`, `None`."""
    new = isinstance(index, ast.Constant) and (index.value is None or index.value is ...)
    return new or isinstance(index, ast.Slice | ast.Starred)
