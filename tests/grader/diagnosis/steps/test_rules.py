"""Small changes of an expression: each gives another source, and has words."""

from __future__ import annotations

import pytest

from normgrade.diagnosis.steps.rules import RULES
from normgrade.diagnosis.steps.sources import source_of


def changes(expression: str, before: str = "import torch") -> dict[str, str]:
    """Return the changed expressions by the words of their changes."""
    head = f"{before}\n\ndef f(self, x, y, momentum):\n    y = "
    source = source_of(f"{head}{expression}\n    y = y + self.bias\n")
    statement = source.tree.body[1].body[0]  # type: ignore[attr-defined]
    node = statement.value
    found: dict[str, str] = {}
    for rule in RULES:
        for variant in rule(source, node):
            text = source.changed(variant.edits)
            assert text is not None
            compile(text, "changed", "exec")
            found.setdefault(variant.words, text[len(head) :].split("\n")[0])
    return found


@pytest.mark.parametrize(
    ("expression", "words", "changed"),
    [
        ("x.var(-1, correction=0)", "as if divided by n − 1", "x.var(-1, correction=1)"),
        ("x.var(-1, unbiased=False)", "as if divided by n − 1", "x.var(-1, unbiased=True)"),
        ("x.var(-1, correction=1)", "as if divided by n", "x.var(-1, correction=0)"),
        ("x.var(-1)", "as if divided by n", "x.var(-1, correction=0)"),
        ("x.mean(-1)", "sum instead of mean", "x.sum(-1)"),
        ("x.square()", "without squares", "(x)"),
        ("x.square()", "abs instead of square", "x.abs()"),
        ("torch.sqrt(x + self.eps)", "with eps outside the root", "(torch.sqrt(x) + self.eps)"),
        ("(x + self.eps).sqrt()", "with eps outside the root", "((x).sqrt() + self.eps)"),
        ("torch.rsqrt(x + self.eps)", "with eps outside the root", "(1 / (torch.sqrt(x) + self.eps))"),
        ("torch.sqrt(x)", "without the root", "(x)"),
        ("x + self.eps", "without eps", "(x)"),
        ("x + self.eps", "with the square of eps", "x + (self.eps) ** 2"),
        ("x + self.eps", "with 1e-8 instead of eps", "x + 1e-8"),
        ("x + self.eps", "the larger of the two instead of the sum", "(x).clamp(min=self.eps)"),
        ("x - y", "with the two sides swapped", "((y) - (x))"),
        ("x * self.weight", "÷ instead of ×", "((x) / (self.weight))"),
        ("x * self.weight", "without the weight", "(x)"),
        ("x**2", "without the power", "(x)"),
        ("momentum", "with 1 − momentum instead of momentum", "(1 - momentum)"),
        ("y * self.weight", "with two steps swapped", "y + self.bias"),
        ("x * self.weight + self.bias", "the bias before the weight", "((x + self.bias) * self.weight)"),
    ],
)
def test_an_expression_has_small_changes(expression: str, words: str, changed: str) -> None:
    assert changes(expression)[words] == changed


def test_numpy_has_its_own_changes() -> None:
    assert changes("x + eps", "import numpy as np")["the larger of the two instead of the sum"] == "np.maximum(x, eps)"
    assert changes("x.var(-1)", "import numpy as np")["as if divided by n − 1"] == "x.var(-1, ddof=1)"


def test_other_expressions_have_none() -> None:
    assert changes("x") == {} and changes("x[0]") == {}
