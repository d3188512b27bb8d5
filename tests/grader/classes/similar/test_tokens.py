"""Tests of the tokens of a source: what they see, and what they do not."""

from __future__ import annotations

import ast

import pytest

from normgrade.classes.similar.tokens import Token, streams


def tokens(source: str) -> list[list[str]]:
    return [[each.text for each in stream] for stream in streams(ast.parse(source))]


def sorted_tokens(source: str) -> list[list[str]]:
    return sorted(tokens(source))


def test_operations_come_in_the_order_of_evaluation() -> None:
    source = "import torch\ndef f(x, m):\n    return torch.sqrt((x - m) ** 2).mean(-1, keepdim=True)\n"
    assert tokens(source) == [[], ["Sub", "number", "Pow", "sqrt", "number", "True", "keepdim=", "mean", "Return"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x): return x + 1", "def norm(input): return input + 1"),
        ("def f(x): return x + 1", 'def f(x: int) -> int:\n    """Add."""\n    # one more\n    return (\n        x + 1)'),
        ("def f(x): return x * 1e-5", "def f(x): return x * 0.125"),
        ("def f(x, y):\n    a = x - y\n    return a / y", "def f(x, y): return (x - y) / y"),
        ("def f(x): return x * x\ndef g(x): return -x", "def g(x): return -x\ndef f(x): return x * x"),
        ("import torch\na = torch.mean(x, dim=0)", "a = x.mean(dim=0)"),
        ("import torch\na = torch.sqrt(x)", "import torch as t\na = t.sqrt(x)"),
        ("import torch\na = torch.sqrt(x)", "from torch import sqrt as root\na = root(x)"),
        ("a = x.sum(dim=0, keepdim=True)", "a = x.sum(keepdim=True, dim=0)"),
        ("a = x - m\na += b", "a = x - m\na = a + b"),
        ("a: int = x + y", "a = x + y"),
        ("def f(s, t=-1): return s[t]", "def f(s, t=2): return s[t]"),
        ("a = (x, y)", "a = [x, y]"),
        (
            "class A:\n    def __init__(self): self.eps = 1\n    def forward(self, x): return self.eps + x",
            "class B:\n    def __init__(this): this.small = 1\n    def forward(this, x): return this.small + x",
        ),
        ("def g(x): return x\na = g(x)", "def other(y): return y\na = other(x)"),
    ],
)
def test_an_authors_own_words_are_not_seen(one: str, other: str) -> None:
    x = "x = y = m = b = len\n"
    assert sorted_tokens(x + one) == sorted_tokens(x + other)
    assert sum(map(len, tokens(one))) > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = x - y", "a = x + y"),
        ("a = x.mean()", "a = x.sum()"),
        ("a = x.sum(dim=0)", "a = x.sum(axis=0)"),
        ("a = x if y else 1", "a = x and 1"),
        ("for i in x: i + 1", "while x: i + 1"),
        ("a = None", "a = 1"),
        ("a = '1'", "a = 1"),
        ("a = len(x)", "a = max(x)"),
        ("class A:\n    def f(self, x): return x * self.y", "class A:\n    def f(self, x): return x * y"),
    ],
)
def test_other_operations_are_seen(one: str, other: str) -> None:
    assert sorted_tokens(one) != sorted_tokens(other)


def test_a_token_has_the_lines_of_its_operation() -> None:
    source = "if x:\n    a = (y\n        - z)\n"
    assert next(streams(ast.parse("x = y = z = 1\n" + source)))[1:] == [Token("If", 2, 2), Token("Sub", 3, 4)]


def test_own_calls_are_alike() -> None:
    source = "class A(Module):\n    def g(self): self.register_buffer('b', 1)\n    def f(self): return self.g()\n"
    assert ["own()", "Return"] in tokens(source)
    assert ["str", "number", "register_buffer"] in tokens(source)


def test_deep_nesting_is_no_recursion() -> None:
    node: ast.expr = ast.Constant(1)
    for _ in range(50_000):
        node = ast.BinOp(node, ast.Add(), ast.Constant(1))
    assert len(next(streams(ast.Module([ast.Expr(node)], [])))) == 100_001


@pytest.mark.parametrize(
    "source",
    [
        "async def f():\n    async with a as b:\n        await b\n    async for c in d: yield c",
        "match x:\n    case [1, *rest] if rest: pass\n    case {'a': A(b=1)}: pass\n    case None | True: pass",
        "try:\n    pass\nexcept* ValueError as e:\n    raise e from None\nelse:\n    del x\nfinally:\n    assert x, 'no'",
        "global a\nlambda *a, b=1, **c: (yield)\n[*a, {**b}, {1, 2}, {c: d for c in e if f}]\nf'{a!r:>{b}}'\nx[1:2, ..., ::3] @= y",
        "with a: pass\n(b := 1)\nprint(*a, **b)\n@c\nclass D(metaclass=E): x: int\n",
        "def f(): ...\nf()()\n",
        "",
    ],
)
def test_every_kind_of_syntax_is_taken(source: str) -> None:
    assert all(each.text and each.first <= each.last for stream in streams(ast.parse(source)) for each in stream)
