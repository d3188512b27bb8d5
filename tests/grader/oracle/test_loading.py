"""Tests of sources as modules: each is executed once, and an error names its line."""

from __future__ import annotations

import pickle
import sys

import pytest

from normgrade.oracle.loading import IMPLEMENTATION, PROBES, SHARED, NotExecuted, executed, module


def test_a_source_is_executed_once_and_not_kept() -> None:
    found = module("numbers = [1]\n", "found")
    assert module("numbers = [1]\n", "found") is found and found.__name__ not in sys.modules


def test_shared_probes_are_there_while_probes_are_executed() -> None:
    shared = executed("FACTOR = 3\n", SHARED)
    assert executed("from shared_probes import FACTOR\n", PROBES, shared).FACTOR == 3 and SHARED not in sys.modules


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("x = 1\nx + None\n", 2, "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"),
        ("x = 1\n\n=\n", 3, "SyntaxError: invalid syntax"),
    ],
)
def test_an_error_of_a_source_names_its_line(source: str, line: int, why: str) -> None:
    with pytest.raises(NotExecuted) as caught:
        executed(source, IMPLEMENTATION)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.what, error.line, error.why) == (IMPLEMENTATION, line, why)
        assert str(error) == f"The course's own implementation cannot be executed: {why}."
