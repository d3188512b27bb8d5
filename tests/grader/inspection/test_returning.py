"""Certain facts about the result of a function and about its arguments."""

from __future__ import annotations

import ast

import pytest

from normgrade.inspection.program import Definition, program_of
from normgrade.inspection.returning import ends_without_return, only_return, overwritten


def function(body: str, head: str = "def f(x, y):") -> Definition:
    program = program_of(f"{head}\n    {body}\n")
    assert program is not None
    return program.definitions[0]


def text(node: ast.AST | None) -> str | None:
    return None if node is None else ast.unparse(node)


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("x = 1", "x = 1"),
        ("return", "return"),
        ("def g(): return 1\n    x = 2", "x = 2"),
        ("return x", None),
        ("if x: return 1", None),
        ("yield x", None),
        ("return None", None),
    ],
)
def test_a_function_without_a_value_ends_without_return(body: str, last: str | None) -> None:
    assert text(ends_without_return(function(body))) == last


@pytest.mark.parametrize(("body", "value"), [("return x, y", "(x, y)"), ("if x: return 1\n    return 2", None), ("pass", None)])
def test_a_single_return_is_certain(body: str, value: str | None) -> None:
    assert text(only_return(function(body))) == value


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("x -= 1", "x -= 1"),
        ("x[0] += 1", "x[0] += 1"),
        ("x[:, 0] = 1", "x[:, 0] = 1"),
        ("x.data -= 1", "x.data -= 1"),
        ("return x.sub_(1)", "x.sub_(1)"),
        ("torch.sub(x, 1, out=x)", "torch.sub(x, 1, out=x)"),
        ("y -= 1", None),
        ("x = x + 1\n    x -= 1", None),
        ("z = x\n    z -= 1", None),
        ("x.__len__()\n    x.sub(1)\n    self.x -= 1", None),
    ],
)
def test_an_overwritten_input_is_found_by_its_name(body: str, place: str | None) -> None:
    assert text(overwritten(function(body), 1)) == place


def test_inputs_are_counted_without_self() -> None:
    program = program_of("class A:\n    def f(self, x, y):\n        y -= 1\n")
    assert program is not None
    method = program.definitions[0]
    assert [text(overwritten(method, number)) for number in (1, 2, 3)] == [None, "y -= 1", None]
