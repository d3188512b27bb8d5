"""Live classes, functions and values: the place of their definition, the library that has them, and their source."""

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
    """Yield a function itself, without its wrappers; for a class, yield the functions that its body defines."""
    function = unwrapped(value)
    if isinstance(value, type):
        held = [inner(member) for member in vars(value).values()]
        yield from (each for each in held if isinstance(each, FunctionType) and within(each, value))
    elif isinstance(function, FunctionType):
        yield function


def unwrapped(value: Any) -> object:
    """Return the function inside its wrappers. Returns the value itself if it is a class, has no wrappers, or raises an exception."""
    try:
        return value if isinstance(value, type) else unwrap(value)
    except Exception:  # from the `__getattr__` of an object, or because its wrappers form a cycle
        return value


def inner(member: Any) -> object:
    """Return the function inside a method, property, class method, static method or cached property."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    return unwrapped(member)


def within(function: FunctionType, owner: type) -> bool:
    """Return True if the function was defined in the body of the class."""
    return function.__code__.co_qualname.startswith(f"{owner.__qualname__}.")


def attached_later(owner: type, statement: ast.stmt) -> str | None:
    """Return the name of a method that was attached to a class after its body, `statement`; None if there is none."""
    body = [] if getattr(statement, "decorator_list", None) else getattr(statement, "body", [])
    assigned = {name for each in body if not isinstance(each, Definition) for name in bound(each)}
    for name, value in vars(owner).items():
        if isinstance(value, FunctionType) and name not in assigned and body:
            code = value.__code__
            if "." not in code.co_qualname and is_own(value) and text_of(code.co_filename):
                return name
    return None


def home(value: object, otherwise: Namespace) -> Namespace:
    """Return the globals of the module that defines a class or a function; `otherwise` if that is unknown."""
    function = unwrapped(value)
    if isinstance(function, FunctionType):
        return function.__globals__
    module = sys.modules.get(value.__module__) if isinstance(value, type) else None
    return otherwise if module is None else vars(module)


def is_own(value: object) -> bool:
    """Return True if the learner wrote a class or a function, and it is not from a library."""
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and not is_library(module)


def is_library(module: str) -> bool:
    """Return True if a module belongs to Python or is installed. Only such modules can be imported by the grader's process."""
    top = module.partition(".")[0]
    found = sys.modules.get(top)
    places = [getattr(found, "__file__", None), *getattr(found, "__path__", ())]
    return top in sys.stdlib_module_names or any(part.endswith("-packages") for place in places for part in Path(place or "").parts)


def found_in_library(name: str, value: object) -> Sequence[tuple[str, str]]:
    """Return the import of a library's module, or of a class or function that a library has under its own name.

    It is a sequence of at most one pair (module, name in it).
    """
    if isinstance(value, ModuleType):
        is_there = sys.modules.get(value.__name__) is value and is_library(value.__name__)
        return [("", renamed(value.__name__, name))] if is_there else ()
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(own, str) and is_library(module) and member(module, own) is value:
        return [(module, renamed(own, name))]
    return ()


def member(module: str, name: str) -> object:
    """Return an attribute or a submodule of a module that is loaded; None if it has neither."""
    return getattr(sys.modules.get(module), name, sys.modules.get(f"{module}.{name}"))


def renamed(name: str, new: str) -> str:
    return name if name == new else f"{name} as {new}"


def is_plain(value: object) -> bool:
    """Return True if a value can be written as a literal: None, a bool, number or string, or a tuple of these."""
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
    """Return a short description of a value: the literal of a plain value, the name or type of any other."""
    if is_plain(value):
        return literal(value)
    if isinstance(value, ModuleType):
        return value.__name__
    named = value if isinstance(value, type | FunctionType) else type(value)
    name = f"{named.__module__}.{named.__qualname__}".removeprefix("builtins.").removeprefix("__main__.")
    return name if named is value else _("a value of type {type}", type=name)


def unsendable(name: str, value: object, user: str) -> str:
    """Return the message that explains why a value cannot be sent, and how to avoid it; `user` is the definition that uses the value."""
    if isinstance(value, ModuleType):
        return _(
            '"{user}" uses your own module "{name}", which cannot be imported during grading. '
            "Import the names that you use: `from {module} import …`.",
            **{"user": user, "name": name, "module": value.__name__},
        )
    if isinstance(value, type | FunctionType):
        return _(
            '"{name}" has no source code to grade: it was created by other code, or typed at the Python prompt. '
            "Define it at the top level of a cell or file.",
            name=name,
        )
    return _(
        '"{user}" uses "{name}", {value}, but only source code can be sent. Create it where it is used, or pass it as an argument.',
        **{"user": user, "name": name, "value": described(value)},
    )


def imports(text: str, name: str, value: object) -> list[tuple[str, str]]:
    """Return the imports from libraries in a text that bind the name to this very value, as pairs (module, name in it).

    There may be several: `import torch` and `import torch.nn.functional` both bind `torch`. The module is "" for `import …`.
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
