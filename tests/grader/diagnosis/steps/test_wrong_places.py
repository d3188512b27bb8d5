"""The line of the first wrong value, or of the first wrong use of a right value."""

from __future__ import annotations

import pytest
from steps_case import NORM, edited, located

TOTAL = """import torch

def norm(x, weight, bias, eps):
    n = x.shape[-1]
    c = x - x.mean(-1, keepdim=True)
    total = (c * c).sum(-1, keepdim=True)
    var = total / n
    r = (var + eps).rsqrt()
    return c * r * weight + bias
"""
TWICE = """import torch

def norm(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    y = (x - mean) / torch.sqrt(var + eps)
    return y * weight + bias + x.var(-1, keepdim=True, correction=1)
"""


def line(source: str, right: str = NORM) -> int | None:
    step = located(source, right)
    return None if step is None else step.line


def number(source: str, text: str) -> int:
    return next(number for number, each in enumerate(source.splitlines(), 1) if text in each)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total / n", "total / (n - 1)"),
        ("(var + eps).rsqrt()", "var.rsqrt()"),
        ("(var + eps).rsqrt()", "1 / (var.sqrt() + eps)"),
        ("c * r * weight", "c * r"),
        ("c * r * weight", "c / r * weight"),
        ("(c * c).sum", "(x * x).sum"),
        ("x.mean(-1, keepdim=True)", "x.mean(1, keepdim=True)"),
        ("(var + eps)", "(total + eps)"),
    ],
)
def test_the_line_is_that_of_the_first_wrong_value(old: str, new: str) -> None:
    assert line(edited((old, new), source=TOTAL)) == number(TOTAL, old)


def test_a_value_for_another_use_is_wrong() -> None:
    wrong = TWICE.replace("correction=0", "correction=1")
    assert line(wrong, TWICE) == number(TWICE, "var = ")


def test_a_value_returned_as_the_output_is_wrong() -> None:
    wrong = edited(("    return y * weight + bias", "    y = y * weight\n    return y"))
    assert line(wrong) == number(wrong, "y = y * weight")
