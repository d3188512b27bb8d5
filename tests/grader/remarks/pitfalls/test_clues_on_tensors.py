"""Clues about tensors: a misspelt keyword, a reduction that drops its dimension, an unpacked shape."""

from __future__ import annotations

import ast
import re

import pytest

from normgrade.inspection.program import program_of
from normgrade.remarks.pitfalls import clues_on_tensors as clues
from normgrade.remarks.pitfalls.pitfalls import Crash, Spotted

IMPORTS = "import torch\nimport numpy as np\n"


def crash(source: str, line: int = 0) -> Crash:
    program = program_of(source)
    assert program is not None
    return Crash(program, "raised", (), "", line)


def match(given: str) -> re.Match[str]:
    found = re.fullmatch("(?P<given>.*)", given)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("keep_dim", ("keep_dim", "keepdim")),
        ("keepDims", ("keepDims", "keepdim")),
        ("Tensor, int, keep_dims=bool", ("keep_dims", "keepdim")),
        ("int, ddof=int, keepdim=bool", ("ddof", "correction")),
        ("dims", ("dims", "dim")),
        ("unbias", ("unbias", "unbiased")),
        ("tuple, keepdim=bool", None),
        ("quite_another", None),
    ],
)
def test_a_misspelt_keyword(given: str, words: tuple[str, str] | None) -> None:
    seen = clues.misspelt_keyword(crash(""), match(given))
    assert (None if seen is None else (seen.words["wrong"], seen.words["right"])) == words


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("x.mean(-1)", "x.mean(-1)"),
        ("x.mean(dim=-1)", "x.mean(dim=-1)"),
        ("torch.var(x, 1, correction=0)", "torch.var(x, 1, correction=0)"),
        ("np.sum(x, axis=1)", "np.sum(x, axis=1)"),
        ("x.mean(-1, keepdim=True)", None),
        ("x.mean(-1, True)", None),
        ("np.sum(x, axis=1, keepdims=True)", None),
        ("x.mean()", None),
        ("torch.mean(x)", None),
        ("x.mean(**options)", None),
        ("mean(x, 1)", None),
        ("x.relu(1)", None),
    ],
)
def test_a_reduction_that_drops_its_dimension(code: str, call: str | None) -> None:
    source = f"{IMPORTS}def f(x):\n    m = {code}\n    return x - m\n"
    seen = clues.dropped_dimension(crash(source, 5), match(""))
    assert (None if seen is None else (seen.words["call"], seen.words["line"])) == (None if call is None else (call, 4))


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("m = x.mean(1)\n    s = (m + 1).sqrt()\n    return x / s", True),
        ("m = x.mean(1)\n    return x * w", False),
        ("return x - x.mean(1)", True),
        ("m, s = x.mean(1), 2\n    return x - m", True),
    ],
)
def test_a_reduction_counts_only_if_its_result_is_used(body: str, used: bool) -> None:
    source = f"def f(x):\n    {body}\n"
    assert (clues.dropped_dimension(crash(source, source.count("\n")), match("")) is not None) is used


@pytest.mark.parametrize(
    ("line", "of"),
    [("a, b = x.shape", "x"), ("a, b = f(x).size()", "f(x)"), ("a, b = x.size(0)", None), ("a, b = x", None), ("f(x.shape)", None)],
)
def test_an_unpacked_shape(line: str, of: str | None) -> None:
    seen = clues.shape_of(crash(f"{line}\n", 1), match(""))
    assert (None if seen is None else seen.words["of"]) == of


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def f(x):\n    y += 1\n", "y += 1"),
        ("def f(x):\n    y.mul_(2)\n", "y.mul_(2)"),
        ("def f(x):\n    y[0] = 1\n", "y[0] = 1"),
        ("def f(x):\n    y += 1\n    y.mul_(2)\n", None),
        ("class A:\n    def __init__(self):\n        super().__init__()\n", None),
    ],
)
def test_the_only_operation_in_place(source: str, place: str | None) -> None:
    seen = clues.in_place(crash(source), match(""))
    assert (None if seen is None or seen.at is None else ast.unparse(seen.at)) == place


def test_a_long_expression_is_cut() -> None:
    seen: Spotted | None = clues.shape_of(crash(f"a, b = {'x' * 90}.shape\n", 1), match(""))
    assert seen is not None and seen.words["of"] == "x" * 39 + "…"
