"""The computation of a module, read from its source without running it: the effects of its classes and functions, as graphs of values.

Intermediate names disappear: a variable, an attribute or a helper function is replaced by its value. Names that the contract or PyTorch
knows are kept: arguments of the constructor, parameters, buffers.

Here stands which functions are read, and in which order. `reader.py` reads one of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from normgrade.pointing.reader import Module, Reader, Scope, attributes
from normgrade.pointing.syntax import Function, is_autograd_function, registered
from normgrade.pointing.values import Kind, Value, reached_from


@dataclass(frozen=True)
class Flow:
    """The effects of a module: defaults, the values that a constructor sets, and the returns, stores, calls, loops and raises of methods.

    state: the names of its parameters and buffers.
    """

    effects: list[Value]
    state: set[str]

    def values(self) -> Iterator[Value]:
        return reached_from(self.effects)


def flow_of(source: str, state: frozenset[str] = frozenset()) -> Flow:
    """Return the computation of a source. Raises TooLarge, and the errors of `ast.parse`.

    `state` are names that count as parameters or buffers even if the source does not register them.
    """
    tree = ast.parse(source)
    module = Module(tree, {*state, *(name for name, _how in registered(tree))})
    Reader(module, {}).block([node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)], module.globals)
    for owner in sorted(module.classes.values(), key=is_autograd_function):  # these are read when they are applied
        read_class(owner, module)
    for function in module.functions.values():
        if function not in module.called:
            Reader(module, {}).run(function, {})
    return Flow(module.effects, module.state)


def read_class(owner: ast.ClassDef, module: Module) -> None:
    """Read the constructor first, because it sets values for the other methods. Helpers are read when they are called."""
    methods = methods_of(owner, module.classes)
    reader = Reader(module, methods)
    for node in owner.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            reader.effect(Kind.DEFAULT, node.target.id, (("0", reader.value(node.value, {})),), node.value)
    set_by_constructor: Scope = {}
    for name in sorted(methods, key=lambda name: (name != "__init__", name != "forward")):
        function = methods[name][0]
        if name == "__init__":
            set_by_constructor = attributes(reader.run(function, {}))
        elif function not in module.called:
            reader.run(function, set_by_constructor)


def methods_of(owner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> dict[str, list[Function]]:
    """Return the methods of a class, each followed by those of its bases that it overrides."""
    found: dict[str, list[Function]] = {}
    rest, seen = [owner], {owner.name}
    while rest:
        current = rest.pop(0)
        for node in current.body:
            if isinstance(node, Function):
                found.setdefault(node.name, []).append(node)
        for base in current.bases:
            if isinstance(base, ast.Name) and base.id in classes and base.id not in seen:
                seen.add(base.id)
                rest.append(classes[base.id])
    return found
