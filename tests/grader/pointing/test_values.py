"""The meaning of a value, told by its computation in any notation."""

from __future__ import annotations

import pytest

from normgrade.pointing.flow import flow_of
from normgrade.pointing.values import (
    Kind,
    Value,
    constant,
    is_parameter,
    keeps_dtype,
    keeps_graph,
    meaning,
    number,
    on_one,
    reached_from,
    same,
    seen_through,
)


def returned(expression: str) -> Value:
    [effect] = flow_of(f"import torch\ndef f(x, dim):\n    return {expression}\n").effects
    return seen_through(effect.parts[0][1])


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("x.var(-1)", "variance"),
        ("((x - x.mean(-1, keepdim=True)) ** 2).mean(-1)", "variance"),
        ("torch.square(x - x.mean()).sum(-1) / x.shape[-1]", "variance"),
        ("x.std(-1) ** 2", "variance"),
        ("x.std(-1)", "sqrt"),
        ("x - x.mean(-1, keepdim=True).unsqueeze(0)", "centred"),
        ("x.pow(2).mean(-1)", "square"),
        ("x.pow(2).sum(-1)", "sum of square"),
        ("x.sum(-1) / len(x)", "mean"),
        ("x.detach().float()", "detached"),
        ("x.shape[1]", "size constant 1"),
        ("1 / torch.sqrt(x)", "1/sqrt"),
        ("x.var(-1) if dim else x.var(0)", "variance"),
        ("x.var(-1) if dim else x.std(0)", "either"),
        ("x.std(-1).pow(2)", "variance"),
    ],
)
def test_the_word_for_a_value(expression: str, word: str) -> None:
    assert meaning(returned(expression)) == word


def test_shape_and_dtype_are_ignored() -> None:
    assert seen_through(returned("x.float().view(3, -1)[..., None].contiguous().to(torch.float32)")).key == "input 0"


def test_a_constant_expression_is_evaluated() -> None:
    assert number(returned("-(1 / 4)")) == -0.25 and number(returned("2 ** 3 - 1")) == 7
    assert number(returned("'1'")) is None and number(returned("x")) is None
    assert returned("1 / 0").key == "1/"


def test_values_with_equal_computations_are_the_same() -> None:
    assert same(returned("x.mean(0).view(-1)"), returned("torch.mean(x, dim=0)"))
    assert not same(returned("x.mean(0)"), returned("x.mean(1)"))


def test_each_value_is_reached_once_and_knows_its_users() -> None:
    root = returned("(x + x) * (x + 1)")
    values = list(reached_from([root]))
    assert len(values) == len({id(value) for value in values}) and values[0] is root
    assert all(value in [user for _role, user in part.users] for value in values for _role, part in value.parts)


X = Value(Kind.INPUT, "0")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (on_one("sqrt", X, None), True),
        (on_one("sqrt", on_one("detach", X, None), None), False),
        (on_one("sqrt", constant(2), None), False),
    ],
)
def test_detach_cuts_the_graph(value: Value, expected: bool) -> None:
    assert keeps_graph(value) is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x.to(x.dtype)", True),
        ("x.type_as(x)", True),
        ("(x.to(x.dtype) + 1) * 2", True),
        ("x.to(torch.float32)", False),
        ("x.float()", False),
    ],
)
def test_a_cast_back_to_the_dtype_of_the_input(expression: str, expected: bool) -> None:
    [effect] = flow_of(f"import torch\ndef forward(x):\n    return {expression}\n").effects
    assert keeps_dtype(effect.parts[0][1]) is expected


def test_a_parameter_may_be_optional() -> None:
    assert is_parameter(returned("torch.nn.Parameter(x)")) and is_parameter(returned("torch.nn.Parameter(x) if dim else None"))
    assert not is_parameter(returned("x if torch.nn.Parameter(dim) else None"))
