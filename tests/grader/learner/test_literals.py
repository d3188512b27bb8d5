"""Literals that a user types."""

from __future__ import annotations

from math import inf, isnan

import pytest

from normgrade.language.errors import UsageError
from normgrade.learner.literals import expression, value_of


def read(text: str) -> object:
    return value_of(expression(text, "CALL"), text, "CALL", {"pair": lambda one, other: (one, other)})


@pytest.mark.parametrize("text", ["3", " -2.5", "+1", "True", "None", "'a'", "[1, (2, [3])]", "()"])
def test_a_literal_is_read_as_in_python(text: str) -> None:
    assert read(text) == eval(text.strip())


def test_infinity_and_nan_have_names() -> None:
    assert read("[inf, -inf]") == [inf, -inf] and isnan(read("nan"))  # type: ignore[arg-type]


def test_known_calls_are_evaluated() -> None:
    assert read("pair([1], other=2)") == ([1], 2)
    with pytest.raises(UsageError, match=r"^pair\(1\) in CALL cannot be created: .*'other'\.$"):
        read("pair(1)")
    with pytest.raises(UsageError, match="Write each argument with its name"):
        read("pair(**{})")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, ε]", "ε at line 1, column 5 of CALL is not a literal. "),
        ("['ε', x]", "x at line 1, column 7 of CALL"),
        ("[1,\n  open('x')]", "open('x') at line 2, column 3 of CALL"),
        ("1 + 1", "1 + 1 at line 1, column 1 of CALL"),
        ("-'a'", "-'a' at line 1, column 1 of CALL"),
        ("[*[1]]", "*[1] at line 1, column 2 of CALL"),
        ("''.join(['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'])", "''.join(['aaaaaaaaaaaaaaaaaaaaaaaaaaaaa… at line 1"),
        ("[1, 2", "CALL cannot be read at line 1, column 1: '[' was never closed."),
        ("", "CALL cannot be read at line"),
        ("1\0", "CALL cannot be read"),
        ("[" * 500 + "]" * 500, "CALL cannot be read at line 1, column 201: too many nested parentheses."),
        ("-" * 100_000 + "1", "CALL cannot be read"),
    ],
)
def test_anything_else_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(text)
    assert str(refused.value).startswith(said)
