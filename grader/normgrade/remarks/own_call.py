"""The call of a submission in an exercise's own probes, as a learner would write it. Their source is parsed, not run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from normgrade.course.files import read_text

LEFT_OUT = "…"
LONGEST = 30  # characters of an expression
NAMED = re.compile(r"(\w+)=(?!=)")  # the beginning of an argument that is passed by name
Functions = Mapping[str, ast.FunctionDef]


def own_call(probes: Path, name: str, given: Sequence[str]) -> str:
    """Return the first call of the submission in the probe or builder of that name, or "" if none is found. `given` are its arguments."""
    functions = functions_in(probes)
    return call_in(functions[name], given, functions) if name in functions else ""


@cache
def functions_in(probes: Path) -> Functions:
    """Return the functions of the probes. Builders have the names, too, by which suites call them."""
    body = ast.parse(read_text(probes)).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    tables = [node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "BUILDERS"]
    pairs = [pair for table in tables if isinstance(table, ast.Dict) for pair in zip(table.keys, table.values, strict=True)]
    builders = {ast.literal_eval(key): ast.unparse(value) for key, value in pairs if key is not None}
    return functions | {name: functions[value] for name, value in builders.items() if value in functions}


def call_in(function: ast.FunctionDef, given: Sequence[str], functions: Functions) -> str:
    """Return the first call of the submission in a function, or in one to which it hands the submission."""
    submission, known = function.args.args[0].arg, bound(function.args, given)
    for call in calls(function.body):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if owner == submission:
                return f"{name}({', '.join(written(call, call.args, known))})"
            case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=owner), ast.Name(id=which)])) if which in known:
                name = known[which].strip("'")
                return f"{name}({', '.join(written(call, call.args, known))})"
            case ast.Call(args=[ast.Attribute(value=ast.Name(id=owner), attr=name), *_]) if owner == submission:
                return f"{name}({LEFT_OUT})"  # it is called elsewhere
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=owner), *values]) if owner == submission and name in functions:
                if inner := call_in(functions[name], [*written(call, values, known)], functions):
                    return inner
    return ""


def bound(parameters: ast.arguments, given: Sequence[str]) -> dict[str, str]:
    """Return the given arguments by the name of their parameter, and further ones as `*args` and as `**kwargs`."""
    names = [each.arg for each in parameters.args[1:]]
    named = {match[1]: text[match.end() :] for text in given if (match := NAMED.match(text))}
    places = [text for text in given if not NAMED.match(text)]
    more = ", ".join(f"{name}={text}" for name, text in named.items() if name not in names)
    known = dict(zip(names, places, strict=False)) | {name: named[name] for name in names if name in named}
    known |= {f"*{parameters.vararg.arg}": ", ".join(places[len(names) :])} if parameters.vararg else {}
    return known | ({f"**{parameters.kwarg.arg}": more} if parameters.kwarg else {})


def calls(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield the calls from outside to inside, in their order, but none that depends on a condition."""
    for node in nodes:
        if not isinstance(node, ast.If | ast.IfExp):
            yield from [node] if isinstance(node, ast.Call) else ()
            yield from calls(ast.iter_child_nodes(node))


def written(call: ast.Call, values: Sequence[ast.expr], known: Mapping[str, str]) -> Iterator[str]:
    """Yield the arguments of a call: what is known of them, or their own source if that is short."""
    for value in values:
        source = ast.unparse(value)
        yield from filter(None, [known.get(source, LEFT_OUT if isinstance(value, ast.Starred) or len(source) > LONGEST else source)])
    for keyword in call.keywords:
        source = ast.unparse(keyword.value)
        if keyword.arg is not None:
            yield f"{keyword.arg}={known.get(source, source if len(source) <= LONGEST else LEFT_OUT)}"
        elif more := known.get(f"**{source}", ""):
            yield more
