"""The check that a source defines the contract's names with the right signatures.

It reports only certain findings: the worker checks the objects.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches

from normgrade.course.signature import Signature
from normgrade.inspection.arguments import Arguments, enumerated, shortcomings, shown
from normgrade.inspection.dotted_names import Names
from normgrade.inspection.source import position
from normgrade.language import N_, _
from normgrade.report.report import Finding, Rule

Definition = ast.FunctionDef | ast.AsyncFunctionDef
PLAIN_BASES = {"object", "torch.nn.Module"}  # neither changes the arguments of a class
NEAR = 0.65  # finds LayerNormalization for LayerNorm, but not RMSNorm
MOST_LISTED = 8  # names in a message
CLASS, FUNCTION = N_("class"), N_("function")


def contract_findings(names: Names, contract: tuple[Signature, ...], lines: list[str]) -> Iterator[Finding]:
    """Yield a finding for each name of the contract that is missing, of the wrong kind, or has another signature."""
    for signature in contract:
        nodes = names.bound.get(signature.name, [])
        if not nodes:
            yield missing(signature, contract, names, lines)
        elif len(nodes) == 1:
            yield from misfit(signature, nodes[0], names, lines)


def missing(signature: Signature, contract: tuple[Signature, ...], names: Names, lines: list[str]) -> Finding:
    name, found = signature.name, own_names(names, contract)
    alike = {name.lower(): name for name, node in found.items() if kind_of(node) in (None, kind(signature))}
    for near in get_close_matches(name.lower(), alike, n=1, cutoff=NEAR):
        text = _("The file does not define `{name}`, but it defines `{near}`. Rename it.", name=name, near=alike[near])
        return Finding(*position(lines, found[alike[near]]), Rule.CONTRACT, text)
    what, signed = _(kind(signature)), shown(signature)
    if not found:
        text = _(
            "The file does not define `{name}` or anything else. Add the {kind} `{signature}`.", name=name, kind=what, signature=signed
        )
        return Finding(0, 0, Rule.CONTRACT, text)
    text = _(
        "The file does not define `{name}`, only {found}. Add the {kind} `{signature}`.",
        name=name,
        found=enumerated(list(found)[:MOST_LISTED]),
        kind=what,
        signature=signed,
    )
    return Finding(0, 0, Rule.CONTRACT, text)


def own_names(names: Names, contract: tuple[Signature, ...]) -> dict[str, ast.AST]:
    """Return the names that the module defines itself and that are not in the contract, each with its last binding."""
    taken = {signature.name for signature in contract}
    last = {name: nodes[-1] for name, nodes in names.bound.items() if name not in taken and not name.startswith("__")}
    return {name: node for name, node in last.items() if not isinstance(node, ast.alias)}


def misfit(signature: Signature, node: ast.AST, names: Names, lines: list[str]) -> Iterator[Finding]:
    defined = kind_of(node)
    if defined and defined != kind(signature):
        text = _(
            "`{name}` is a {defined}, but should be a {kind}: `{signature}`.",
            name=signature.name,
            defined=_(defined),
            kind=_(kind(signature)),
            signature=shown(signature),
        )
        yield Finding(*position(lines, node), Rule.CONTRACT, text)
    elif function := called(node, names):
        try:
            arguments = Arguments.of(function.args, is_method=function is not node)
        except ValueError:  # a default is too long to be printed
            return
        if problems := _("; ").join(shortcomings(arguments, signature)):
            text = _(
                "`{found}` should be `{signature}`: {problems}.",
                found=f"{signature.name}({arguments})",
                signature=shown(signature),
                problems=problems,
            )
            yield Finding(*position(lines, function), Rule.SIGNATURE, text)


def kind(signature: Signature) -> str:
    return CLASS if signature.is_class else FUNCTION


def kind_of(node: ast.AST) -> str | None:
    """Return the kind of object that a node binds; None if that is uncertain, as after a decorator."""
    if getattr(node, "decorator_list", None):
        return None
    return CLASS if isinstance(node, ast.ClassDef) else FUNCTION if isinstance(node, Definition) else None


def called(node: ast.AST, names: Names) -> Definition | None:
    """Return the function that takes the arguments of a call: a function itself, or the `__init__` of a plain class; None if uncertain."""
    function: ast.AST | None = node
    if isinstance(node, ast.ClassDef):
        plain = not (node.decorator_list or node.keywords) and PLAIN_BASES.issuperset(names.bases[node])
        function = constructor(node) if plain else None
    if not isinstance(function, Definition) or function.decorator_list or function.args.vararg:
        return None
    return function


def constructor(node: ast.ClassDef) -> ast.AST | None:
    """Return `__init__`, if the class defines it exactly once, directly in its body, and has no `__new__`."""
    stated = [inner for inner in ast.walk(node) if {getattr(inner, "name", None), getattr(inner, "id", None)} & {"__init__", "__new__"}]
    return stated[0] if len(stated) == 1 and stated[0] in node.body and getattr(stated[0], "name", None) == "__init__" else None
