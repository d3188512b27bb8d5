"""The English texts of a hidden suite: claims, hints and words. They are read from its source; collecting it takes a second or more."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from normgrade.language import ENGLISH
from normgrade.language.docstring import first_paragraph_in


def texts_in(source: str) -> Iterator[str]:
    """Yield the texts of a suite that are translated: the claim and the hint of each test, and what is given to `words`."""
    suite = parsed(source)
    for test, claim in tests_in(suite):
        yield from (first_paragraph_in(ast.get_docstring(test), ENGLISH), hint_of(claim))
    yield from (text_of(call.args[0]) for call in calls_of("words", ast.walk(suite)))


def hint_in(source: str, name: str) -> str:
    """Return the hint of the test of that name; "" if the source does not contain it."""
    return next((hint_of(claim) for test, claim in tests_in(parsed(source)) if test.name == name), "")


def tests_in(suite: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """Yield the tests of a suite, each with the call of `claim` that decorates it."""
    for node in suite.body:
        if isinstance(node, ast.FunctionDef):
            yield from ((node, claim) for claim in calls_of("claim", node.decorator_list))


def parsed(source: str) -> ast.Module:
    """Return a source as a tree; an empty one if it is no valid Python."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def calls_of(name: str, nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    return (node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name)


def hint_of(claim: ast.Call) -> str:
    return next((text_of(keyword.value) for keyword in claim.keywords if keyword.arg == "hint"), "")


def text_of(node: ast.expr) -> str:
    """Return a text that stands in a source; "" if it is computed."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
