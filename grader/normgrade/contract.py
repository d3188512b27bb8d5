"""Whether a source defines what the contract names, and with which signatures. Speaks only when certain: the worker asks the objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from normgrade.names import Names
from normgrade.report import Finding
from normgrade.signature import Parameter, Signature, parameters_of
from normgrade.source import position

Definition = ast.FunctionDef | ast.AsyncFunctionDef
PLAIN_BASES = {"object", "torch.nn.Module"}  # neither changes what a class is called with
NEAR = 0.65  # finds LayerNormalization for LayerNorm, and not RMSNorm
MOST_LISTED = 6  # names in a message
LONGEST_SHOWN = 40  # characters of a default in a message


def contract_findings(names: Names, contract: tuple[Signature, ...], lines: list[str]) -> Iterator[Finding]:
    """What of the contract is missing, is of the wrong kind, or has another signature."""
    for signature in contract:
        match names.bound.get(signature.name, []):
            case []:
                yield missing(signature, contract, names, lines)
            case [node] if kind_of(node) not in (None, kind(signature)):
                text = f"`{signature.name}` is a {kind_of(node)}, and should be a {kind(signature)}: `{shown(signature)}`."
                yield Finding(*position(lines, node), "contract", text)
            case [node] if (function := certain(node, names)) and (text := misfit(signature, function, is_method=function is not node)):
                yield Finding(*position(lines, function), "signature", text)


def missing(signature: Signature, contract: tuple[Signature, ...], names: Names, lines: list[str]) -> Finding:
    taken = {other.name for other in contract}
    found = {name: nodes[-1] for name, nodes in names.bound.items() if not (name in taken or name.startswith("__") or is_import(nodes[-1]))}
    alike = {name.lower(): name for name, node in found.items() if kind_of(node) in (None, kind(signature))}
    for near in get_close_matches(signature.name.lower(), alike, n=1, cutoff=NEAR):
        text = f"The file defines no `{signature.name}`; found `{alike[near]}`. Rename it."
        return Finding(*position(lines, found[alike[near]]), "contract", text)
    listed = [f"`{name}`" for name in found][:MOST_LISTED] + ["more"] * (len(found) > MOST_LISTED)
    instead = f"; it does define {enumerated(listed)}" if found else ", nor anything else"
    return Finding(0, 0, "contract", f"The file defines no `{signature.name}`{instead}. Add the {kind(signature)} `{shown(signature)}`.")


def is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.alias)


def kind(signature: Signature) -> str:
    return "class" if signature.is_class else "function"


def kind_of(node: ast.AST) -> str | None:
    """What a binding makes, where that is certain: a decorator may make anything of a definition."""
    if getattr(node, "decorator_list", None):
        return None
    return "class" if isinstance(node, ast.ClassDef) else "function" if isinstance(node, Definition) else None


def certain(node: ast.AST, names: Names) -> Definition | None:
    """The function that takes the arguments when the node's name is called, if nothing can have changed which it is."""
    function: ast.AST | None = node
    if isinstance(node, ast.ClassDef):
        plain = not (node.decorator_list or node.keywords) and all(base & PLAIN_BASES for base in names.bases[node])
        function = constructor(node) if plain else None
    sure = isinstance(function, Definition) and not (function.decorator_list or function.args.vararg)
    return function if sure and isinstance(function, Definition) else None


def constructor(node: ast.ClassDef) -> ast.AST | None:
    """`__init__`, if it is defined once, straight in the class, and there is no `__new__`."""
    named = [inner for inner in ast.walk(node) if {getattr(inner, "name", None), getattr(inner, "id", None)} & {"__init__", "__new__"}]
    return named[0] if len(named) == 1 and named[0] in node.body and getattr(named[0], "name", "") == "__init__" else None


def misfit(signature: Signature, function: Definition, *, is_method: bool) -> str | None:
    """Both signatures and how they differ, if the function does not take every call that the contract allows."""
    try:
        found = Found.of(function.args, skip=int(is_method))
    except ValueError:  # a default with more digits than Python writes out
        return None
    problems = found.problems(signature)
    return f"`{signature.name}({found})` should be `{shown(signature)}`: {'; '.join(problems)}." if problems else None


def same(one: str, other: str) -> bool:
    """Whether two defaults may be equal; only literals can be told apart."""
    try:
        left, right = ast.literal_eval(one), ast.literal_eval(other)
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return True
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def shown(signature: Signature) -> str:
    return f"{signature.name}({', '.join(map(spelled, signature.parameters))})"


def spelled(parameter: Parameter) -> str:
    return parameter.name if parameter.default is None else f"{parameter.name}={short(parameter.default)}"


def short(default: str) -> str:
    """A default as people write it: 1e-5, where Python has 1e-05."""
    text = re.sub(r"(?<=\d)e-0(?=\d)", "e-", default)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def enumerated(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
