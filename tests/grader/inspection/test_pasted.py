"""Text that was pasted from elsewhere: its kind, and the parts to take out."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from normgrade.inspection.pasted import is_notebook, remedy
from normgrade.report.report import Finding, Rule

FindingOf = Callable[..., Finding]
CELLS = json.dumps({"cells": [], "metadata": {}, "nbformat": 4})


def test_a_notebook_is_told_as_one(finding_of: FindingOf) -> None:
    found = finding_of(CELLS)
    assert (found.line, found.rule) == (0, Rule.FILE) and found.text.startswith("This is a notebook, not a Python file: copy the cell")


@pytest.mark.parametrize("source", ["", "x = 1", "{'cells': 1, 'nbformat': 4}", '{"cells": []}', "{" * 10**5, f"x = {CELLS}"])
def test_anything_else_is_no_notebook(source: str) -> None:
    assert not is_notebook(source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("```python\nx = 1\n```\n", "Remove the lines that begin with ```"),
        (">>> x = 1\n>>> x\n1\n", "Remove the prompts `>>>` and `...`"),
        ("x = “a”\n", 'Type `"` instead.'),
        ("x = ‘a’\n", "Type `'` instead."),
        ("x = 1 − 2\n", "Type `-` instead."),
        ("f（1）\n", "Type `(` instead."),
        ("f(1， 2)\n", "Type `,` instead."),
        ("def f()：\n    pass\n", "Type `:` instead."),
        ("x\u00a0= 1\n", "Type a space instead."),
        ("print 'x'\n", "Did you mean print(...)?"),
    ],
)
def test_a_syntax_error_has_a_remedy(finding_of: FindingOf, source: str, said: str) -> None:
    found = finding_of(source)
    assert found.rule is Rule.SYNTAX and said in found.text.split("\n")[0]


@pytest.mark.parametrize("source", ["f(a b)\n", "x = 1 €\n", '"""\n>>> x\n```\n"""\nx = = 1\n', "x = (\n", "", "x = 1 ⅷ\n"])
def test_other_errors_have_no_remedy(source: str) -> None:
    lines = source.split("\n")
    number = max(len(lines) - 1, 1)
    assert remedy(lines, number, len(lines[number - 1])) == ""
