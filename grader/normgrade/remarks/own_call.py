"""The call of a submission in an exercise's own probes, as a learner would write it. Their source is parsed, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from normgrade.course.files import read_text

LEFT_OUT = "…"
LONGEST = 30  # characters of an expression
Texts = Mapping[str, str]  # arguments by name, each as it is written
Lists = Mapping[str, Sequence[str]]


def own_call(probes: Path, name: str, args: Sequence[str], kwargs: Texts) -> str:
    """Return the first call of the submission in the probe or the builder of that name; "" if none is found."""
    functions = functions_in(probes)
    return call_in(functions[name], args, kwargs, functions) if name in functions else ""


@cache
def functions_in(probes: Path) -> Mapping[str, ast.FunctionDef]:
    """Return the functions of the probes. Builders have the names, too, by which suites call them."""
    body = ast.parse(read_text(probes)).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    tables = (node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "BUILDERS")
    pairs = (pair for table in tables if isinstance(table, ast.Dict) for pair in zip(table.keys, table.values, strict=True))
    named = {ast.literal_eval(key): functions.get(ast.unparse(value)) for key, value in pairs if key is not None}
    return functions | {key: function for key, function in named.items() if function is not None}


def call_in(function: ast.FunctionDef, args: Sequence[str], kwargs: Texts, functions: Mapping[str, ast.FunctionDef]) -> str:
    """Return the first call of the submission in a function, or in one to which it hands the submission."""
    implementation, *known = bound(function, args, kwargs)
    names, more, named = known
    for call in calls(function.body, names):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if owner == implementation:
                return call_of(name, call.args, call.keywords, *known)
            case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=owner), ast.Name(id=which)])) if which in names:
                return call_of(names[which].strip("'"), call.args, call.keywords, *known)
            case ast.Call(args=[ast.Attribute(value=ast.Name(id=owner), attr=name), *_]) if owner == implementation:
                return f"{name}({LEFT_OUT})"  # it is called elsewhere
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=owner), *values]) if owner == implementation and name in functions:
                given, keywords = [*positional(values, names, more)], dict(by_name(call.keywords, names, named))
                if inner := call_in(functions[name], given, keywords, functions):
                    return inner
    return ""


def call_of(
    name: str, values: Sequence[ast.expr], keywords: Sequence[ast.keyword], names: Texts, more: Lists, named: Mapping[str, Texts]
) -> str:
    given = *positional(values, names, more), *(f"{key}={text}" for key, text in by_name(keywords, names, named))
    return f"{name}({', '.join(given)})"


def bound(function: ast.FunctionDef, args: Sequence[str], kwargs: Texts) -> tuple[str, Texts, Lists, Mapping[str, Texts]]:
    """Return the name of the submission, the parameters with their texts, and those of `*args` and of `**kwargs`."""
    taken = function.args
    implementation, *names = (each.arg for each in taken.args)
    defaults = dict(zip(reversed(names), map(ast.unparse, reversed(taken.defaults)), strict=False))
    known = defaults | dict(zip(names, args, strict=False)) | {name: text for name, text in kwargs.items() if name in names}
    more = {taken.vararg.arg: args[len(names) :]} if taken.vararg else {}
    named = {taken.kwarg.arg: {name: text for name, text in kwargs.items() if name not in names}} if taken.kwarg else {}
    return implementation, known, more, named


def calls(nodes: Iterable[ast.AST], names: Texts) -> Iterator[ast.Call]:
    """Yield the calls from outside to inside, in their order. Of a condition only the branch that is known to be taken is searched."""
    for node in nodes:
        if isinstance(node, ast.If | ast.IfExp):
            taken = {True: node.body, False: node.orelse}.get(holds(node.test, names), [])
            yield from calls(taken if isinstance(taken, list) else [taken], names)
            continue
        if isinstance(node, ast.Call):
            yield node
        yield from calls(ast.iter_child_nodes(node), names)


def holds(test: ast.expr, names: Texts) -> bool | None:
    """Return whether a condition on one argument holds; None if that is not known."""
    match test:
        case ast.Name(id=name) if names.get(name) in ("True", "False"):
            return names[name] == "True"
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=value)]) if name in names:
            return names[name] == repr(value)
    return None


def positional(values: Sequence[ast.expr], names: Texts, more: Lists) -> Iterator[str]:
    for value in values:
        if isinstance(value, ast.Starred):
            yield from more.get(ast.unparse(value.value), [LEFT_OUT])
        else:
            yield text_of(value, names)


def by_name(keywords: Sequence[ast.keyword], names: Texts, named: Mapping[str, Texts]) -> Iterator[tuple[str, str]]:
    for keyword in keywords:
        if keyword.arg is None:
            yield from named.get(ast.unparse(keyword.value), {}).items()
        else:
            yield keyword.arg, text_of(keyword.value, names)


def text_of(value: ast.expr, names: Texts) -> str:
    """Return an argument: the text of the parameter that it is, or else its own source if that is short."""
    text = ast.unparse(value)
    return names.get(text, text if len(text) <= LONGEST else LEFT_OUT)
