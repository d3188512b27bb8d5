"""Operations: one word for each, in any notation."""

from __future__ import annotations

import pytest

from normgrade.pointing.flow import flow_of
from normgrade.pointing.values import Value, same, seen_through


def returned(expression: str) -> Value:
    source = f"import math\nimport torch\nimport torch.nn.functional as F\ndef f(x, y, dim):\n    return {expression}\n"
    [effect] = flow_of(source).effects
    return seen_through(effect.parts[0][1])


@pytest.mark.parametrize(
    "ways",
    [
        ("x.var(-1, unbiased=False)", "torch.var(x, -1, False)", "x.var(dim=-1, correction=0)"),
        ("x.var(dim, True)", "x.var(dim, unbiased=True)", "x.var(dim)", "torch.var(x, dim=dim, correction=1)"),
        ("x.mean(-1, keepdim=True)", "torch.mean(x, -1, True)", "x.mean(axis=-1, keepdims=True)"),
        ("x / torch.sqrt(y)", "x * torch.rsqrt(y)", "x * y ** -0.5", "x / y.sqrt()", "x / y ** 0.5", "x.div(y.sqrt())"),
        ("x * x", "x ** 2", "x.pow(2)", "torch.square(x)", "torch.pow(x, 2)"),
        ("x - y", "torch.sub(x, y)", "x.sub(y)"),
        ("x + dim * y", "torch.add(x, y, alpha=dim)"),
        ("y.clamp(min=x)", "torch.clamp(y, min=x)", "y.clamp(x)", "torch.clip(y, x)"),
        ("not x == y", "x != y"),
        ("y if x is not None else dim", "dim if x is None else y"),
        ("torch.softmax(x, 0)", "F.softmax(x, dim=0)", "x.softmax(0)"),
    ],
)
def test_several_notations_are_the_same(ways: tuple[str, ...]) -> None:
    first, *others = (returned(way) for way in ways)
    assert all(same(first, other) for other in others)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x.var(-1)", "x.var(-1, correction=0)"),
        ("x.var(dim, True)", "x.var(dim, keepdim=True)"),
        ("x - y", "y - x"),
        ("x.sum(-1) / x.shape[-1]", "x.sum(-1) / (x.shape[-1] - 1)"),
        ("x.sub_(y)", "x.sub(y)"),
        ("x.half()", "x.float()"),
        ("x.mean()", "x.mean(0)"),
    ],
)
def test_different_operations_are_not_the_same(one: str, other: str) -> None:
    assert not same(returned(one), returned(other))


@pytest.mark.parametrize(
    ("condition", "expected"), [("x.dtype == torch.float64", "to"), ("torch.float64 != x.dtype", "to"), ("dim is None", "sqrt")]
)
def test_a_choice_by_dtype_is_a_cast(condition: str, expected: str) -> None:
    """Follow a value that is cast unless it has the dtype already."""
    [effect] = flow_of(f"import torch\ndef f(x, dim):\n    y = x.sqrt()\n    return y if {condition} else y.to(x.dtype)\n").effects
    assert effect.parts[0][1].parts[0][1].key == expected


def test_the_default_correction_of_a_variance_is_one() -> None:
    assert [part.key for role, part in returned("x.var(-1)").parts if role == "correction"] == ["constant 1"]


def test_both_of_var_mean_are_statistics() -> None:
    var, mean = returned("torch.var_mean(x, -1)[0]"), returned("torch.var_mean(x, -1)[1]")
    assert (var.key, mean.key) == ("index", "index")
    [effect] = flow_of("import torch\ndef f(x):\n    var, mean = torch.var_mean(x, -1, correction=0)\n    return var - mean\n").effects
    difference = seen_through(effect.parts[0][1])
    assert [part.key for _role, part in difference.parts] == ["var", "mean"]
