"""Live classes, functions and values: where they were defined, whether a library gives them, and how they can be written down."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from inspect import unwrap
from math import isfinite
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from normgrade.language import _
from normgrade.notebook.bindings import Definition, bound, statements, text_of

Namespace = Mapping[str, Any]


def functions(value: object) -> Iterator[FunctionType]:
    """The functions that were written with a value: itself, or what stands in its class body."""
    function = unwrap(value) if callable(value) else value
    if isinstance(value, type):
        held = [inner(member) for member in vars(value).values()]
        yield from (each for each in held if isinstance(each, FunctionType) and within(each, value))
    elif isinstance(function, FunctionType):
        yield function


def inner(member: Any) -> object:
    """The function in a method of any kind."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    return unwrap(member)


def within(function: FunctionType, owner: type) -> bool:
    return function.__code__.co_qualname.startswith(f"{owner.__qualname__}.")


def put_in(owner: type, statement: ast.stmt) -> str | None:
    """The name of a function that the class has, and that was not written in it."""
    body = [] if getattr(statement, "decorator_list", None) else getattr(statement, "body", [])
    assigned = {name for each in body if not isinstance(each, Definition) for name in bound(each)}
    for name, value in vars(owner).items():
        if isinstance(value, FunctionType) and name not in assigned and body:
            code = value.__code__
            if "." not in code.co_qualname and is_own(value) and text_of(code.co_filename):
                return name
    return None


def home(value: object, otherwise: Namespace) -> Namespace:
    """The names of the module in which a class or a function was defined."""
    function = unwrap(value) if callable(value) else value
    if isinstance(function, FunctionType):
        return function.__globals__
    module = sys.modules.get(value.__module__) if isinstance(value, type) else None
    return otherwise if module is None else vars(module)


def is_own(value: object) -> bool:
    """Whether a class or a function is the learner's, and not a library's."""
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and not is_library(module)


def is_library(module: str) -> bool:
    """Whether a module is Python's own or installed: only these can be imported where code is graded."""
    top = module.partition(".")[0]
    found = sys.modules.get(top)
    places = [getattr(found, "__file__", None), *getattr(found, "__path__", ())]
    return top in sys.stdlib_module_names or any(part.endswith("-packages") for place in places for part in Path(place or "").parts)


def found_in_library(name: str, value: object) -> Sequence[tuple[str, str]]:
    """The import of a module, or of what is found in one by its own name."""
    if isinstance(value, ModuleType):
        is_there = sys.modules.get(value.__name__) is value and is_library(value.__name__)
        return [("", renamed(value.__name__, name))] if is_there else ()
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(own, str) and is_library(module) and member(module, own) is value:
        return [(module, renamed(own, name))]
    return ()


def member(module: str, name: str) -> object:
    return getattr(sys.modules.get(module), name, sys.modules.get(f"{module}.{name}"))


def renamed(name: str, new: str) -> str:
    return name if name == new else f"{name} as {new}"


def is_plain(value: object) -> bool:
    """Whether it can be written down as a literal."""
    return type(value) in (bool, int, float, str, type(None)) or (type(value) is tuple and all(map(is_plain, value)))


def literal(value: object) -> str:
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def same(one: object, other: object) -> bool:
    return one is other or (is_plain(one) and is_plain(other) and literal(one) == literal(other))


def described(value: object) -> str:
    """A value in a few words: plain ones as they are written, others by their name or their type."""
    if is_plain(value):
        return literal(value)
    if isinstance(value, ModuleType):
        return value.__name__
    named = value if isinstance(value, type | FunctionType) else type(value)
    name = f"{named.__module__}.{named.__qualname__}".removeprefix("builtins.").removeprefix("__main__.")
    return name if named is value else _("a value of the type {type}", type=name)


def unsendable(name: str, value: object, user: str) -> str:
    """Why a value cannot be sent, and what to do instead."""
    if isinstance(value, ModuleType):
        return _(
            '"{user}" uses "{name}", a module of your own, which cannot be imported where code is graded. '
            "Import from it by name what you use: `from {module} import …`.",
            **{"user": user, "name": name, "module": value.__name__},
        )
    if isinstance(value, type | FunctionType):
        return _(
            '"{name}" has no source that can be graded: it was made by other code, or typed into Python itself. '
            "Write it at the top level of a cell or of a file.",
            name=name,
        )
    return _(
        '"{user}" uses "{name}", {value}, and only source can be sent. Make it where it is used, or hand it over as an argument.',
        **{"user": user, "name": name, "value": described(value)},
    )


def imports(text: str, name: str, value: object) -> list[tuple[str, str]]:
    """The imports from libraries in a text that give the name this very value, each as module and what comes from it.

    There may be several: `import torch` and `import torch.nn.functional` both bind `torch`.
    """
    found = []
    for node in statements(text):
        for alias in node.names if isinstance(node, ast.Import) else ():
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            if (alias.asname or module) == name and is_library(module) and sys.modules.get(module) is value:
                found.append(("", renamed(alias.name, alias.asname or alias.name)))
        for alias in node.names if isinstance(node, ast.ImportFrom) and not node.level else ():
            own = name if alias.name == "*" else alias.name
            module = getattr(node, "module", None) or ""
            if (alias.asname or own) == name and is_library(module) and member(module, own) is value:
                found.append((module, renamed(own, name)))
    return found
