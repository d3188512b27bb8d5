"""Clues in the text of a submission that make the cause of an exception certain, and show its place: about classes, names and loops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from normgrade.inspection.arguments import shown
from normgrade.inspection.program import Definition
from normgrade.remarks.pitfalls.pitfalls import Clue, Crash, Spotted

Match = re.Match[str]
DEBUGGERS = ("breakpoint", "pdb.set_trace", "ipdb.set_trace", "pdb.pm", "pudb.set_trace")
IMPORTS = {
    "torch": "import torch", "nn": "from torch import nn", "F": "import torch.nn.functional as F", "np": "import numpy as np",
    "numpy": "import numpy as np", "math": "import math", "Tensor": "from torch import Tensor", "functools": "import functools",
    **{name: f"from typing import {name}" for name in ("Optional", "Union", "Tuple", "List", "Dict", "Any", "Sequence", "Callable")},
}  # fmt: skip


def in_text(pattern: str) -> Clue:
    """Return a clue that looks for this pattern in the statement."""

    def looked(crash: Crash, _match: Match) -> Spotted | None:
        statement = crash.program.statement(crash.line) if crash.line else None
        text = "" if statement is None else "\n".join(crash.program.lines[statement.lineno - 1 : statement.end_lineno])
        return Spotted() if re.search(pattern, text) else None

    return looked


def calls(name: str) -> Clue:
    """Return a clue that looks in the statement for an expression whose dotted name begins with this one."""

    def looked(crash: Crash, _match: Match) -> Spotted | None:
        return Spotted() if any(begins_with(crash.program.dotted(node), name) for node in crash.here) else None

    return looked


def begins_with(dotted: str, name: str) -> bool:
    return f"{dotted}.".startswith(f"{name}.")


def anywhere(name: str) -> Clue:
    """Return a clue that looks in the whole program for an expression whose dotted name begins with this one."""

    def looked(crash: Crash, _match: Match) -> Spotted | None:
        nodes = (node for node in crash.program.nodes if isinstance(node, ast.Attribute | ast.Name))
        at = next((node for node in nodes if begins_with(crash.program.dotted(node), name)), None)
        return None if at is None else Spotted(at=at)

    return looked


# Classes and functions


def supers(crash: Crash) -> Iterator[tuple[ast.Call, list[ast.expr]]]:
    """Yield the calls of `super(…).__init__` in the function, each with the arguments of `super`."""
    for node in crash.around.own if crash.around else []:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name("super"), args=arguments), attr="__init__")):
                yield node, arguments


def super_of_a_class(crash: Crash, _match: Match) -> Spotted | None:
    """Find `super(LayerNorm).__init__()`, which calls the initialiser of `super` itself."""
    return next((Spotted({"name": ast.unparse(given[0])}, at) for at, given in supers(crash) if len(given) == 1), None)


def late_super(crash: Crash, _match: Match) -> Spotted | None:
    return next((Spotted(at=at) for at, given in supers(crash) if len(given) != 1), None)


def no_super(crash: Crash, match: Match) -> Spotted | None:
    """Find the `__init__` of the class in question if it does not call that of nn.Module."""
    name = match.groupdict().get("owner")
    found = crash.program.called(f"{name}.__init__") if name else crash.around
    if found is None or found.node.name != "__init__" or "super" in names_in(found) or "Module" in names_in(found):
        return None
    return Spotted(at=found.node)


def names_in(definition: Definition) -> set[str]:
    return {getattr(node, "id", "") or getattr(node, "attr", "") for node in definition.own}


def without_self(crash: Crash, match: Match) -> Spotted | None:
    """Find the called method if its first parameter is not `self`."""
    found = crash.program.called(match["called"])
    if found is None or found.owner is None or found.node.decorator_list or found.parameters[:1] in (["self"], ["cls"]):
        return None
    return Spotted({"name": found.node.name, "parameters": ", ".join(["self", *found.parameters])}, found.node)


def method_without_self(crash: Crash, _match: Match) -> Spotted | None:
    """Find the method that raised, if its first parameter has the name of the contract's first parameter."""
    around = crash.around
    first = {signature.parameters[0].name for signature in crash.contract if signature.parameters}
    if around is None or around.owner is None or around.node.decorator_list or not first.intersection(around.parameters[:1]):
        return None
    return Spotted({"name": around.node.name, "parameters": ", ".join(["self", *around.parameters])}, around.node)


def debugger(crash: Crash, _match: Match) -> Spotted | None:
    """Find the call of a debugger."""
    calls = (node for node in crash.program.nodes if isinstance(node, ast.Call))
    names = (node for node in calls if crash.program.dotted(node.func) in DEBUGGERS)
    return next((Spotted(at=node) for node in names), None)


def of_the_contract(crash: Crash, match: Match) -> Spotted | None:
    """Find the function or the class in the contract that is called."""
    for signature in crash.contract:
        if match["called"] in (signature.name, f"{signature.name}.__init__"):
            found = crash.program.called(match["called"])
            return Spotted({"signature": shown(signature)}, None if found is None else found.node)
    return None


def of_the_layer(crash: Crash, match: Match) -> Spotted | None:
    """Find the `forward` that the grader itself calls."""
    found = None if crash.line else crash.program.called(match["called"])
    return Spotted(at=found.node) if found is not None and found.node.name == "forward" else None


def nearly_forward(crash: Crash, match: Match) -> Spotted | None:
    """Find a method of the class with a name similar to `forward`, else `__call__`."""
    methods = {each.node.name: each for each in crash.program.definitions if each.owner is not None and each.owner.name == match["owner"]}
    near = get_close_matches("forward", {name.lower(): name for name in methods}, n=1)
    alike = next((name for name in methods if name.lower() in near), "__call__" if "__call__" in methods else None)
    return None if alike is None else Spotted({"name": alike}, methods[alike].node)


def forward_within(crash: Crash, match: Match) -> Spotted | None:
    """Find a function `forward` inside a method, or at the top level of the module."""
    inside = (each for each in crash.program.definitions if each.name.startswith(f"{match['owner']}.") and each.name.endswith(">.forward"))
    outside = (each for each in crash.program.definitions if each.name == "forward")
    return next((Spotted(at=each.node) for each in (*inside, *outside)), None)


def unwritten(crash: Crash, _match: Match) -> Spotted | None:
    """Find a line that raises NotImplementedError itself."""
    raised = crash.program.statement(crash.line) if crash.line else None
    return Spotted({"name": crash.function}) if isinstance(raised, ast.Raise) else None


def itself(crash: Crash, _match: Match) -> Spotted | None:
    """Find the function that raised, by name."""
    return Spotted({"name": crash.function}) if crash.function else None


def in_a_call(crash: Crash, _match: Match) -> Spotted | None:
    """Find an exception that was raised in a function, not at the top level of the module."""
    return Spotted() if crash.types and crash.around is not None else None


def no_raise(crash: Crash, _match: Match) -> Spotted | None:
    """Find a line that does not raise the exception itself."""
    return None if crash.line and isinstance(crash.program.statement(crash.line), ast.Raise) else Spotted()


# Names


def an_import(crash: Crash, match: Match) -> Spotted | None:
    line = IMPORTS.get(match["name"])
    return Spotted({"line": line}) if line else None


def no_self_parameter(crash: Crash, match: Match) -> Spotted | None:
    around = crash.around
    return Spotted({"name": around.node.name}, around.node) if around is not None and match["name"] == "self" else None


def of_another_method(crash: Crash, match: Match) -> Spotted | None:
    """Find the method of the same class that has the name as a parameter."""
    around = crash.around
    if around is None or around.owner is None:
        return None
    for each in crash.program.definitions:
        if each.owner is around.owner and each.node is not around.node and match["name"] in each.parameters:
            return Spotted({"method": each.node.name})
    return None


def never_set(crash: Crash, match: Match) -> Spotted | None:
    """Find an attribute that no line sets."""
    bound = (node for node in crash.program.nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    registered = any(isinstance(node, ast.Constant) and node.value == match["name"] for node in crash.program.nodes)
    owned = any(isinstance(node, ast.ClassDef) and node.name == match["owner"] for node in crash.program.nodes)
    return Spotted() if owned and not registered and all(node.attr != match["name"] for node in bound) else None


def loop_around(crash: Crash, _match: Match) -> Spotted | None:
    """Find the innermost loop around the line."""
    loops = (node for node in crash.program.nodes if isinstance(node, ast.While | ast.For))
    around = [node for node in loops if node.lineno <= crash.line <= (node.end_lineno or 0)]
    return Spotted({"line": around[-1].lineno}) if around else None
