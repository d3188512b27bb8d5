"""Tests of fingerprints: what winnowing promises, the lines, and that they are the same everywhere."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import normgrade
from normgrade.classes.similar.fingerprints import RUN, WINDOW, Lines, fingerprints

SOURCE = "a = x - m\nb = a * a\nc = (b + e) ** 0.5\nd = a / c\n"
OPERATIONS = ("-", "+", "*", "/", "@", "//", "%", "&", "|", "^", "<<", ">>")
PRINTED = "print(sorted(fingerprints(ast.parse(SOURCE))))"
NUMBERS = st.lists(st.integers(0, len(OPERATIONS) - 1), max_size=30)


def source_of(operations: list[int]) -> str:
    return "".join(f"a = x {OPERATIONS[number]} m\n" for number in operations)


@settings(max_examples=200, deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.lists(st.integers(0, 11), min_size=RUN + WINDOW - 1, max_size=12))
def test_a_long_shared_run_shares_a_fingerprint(a: list[int], b: list[int], c: list[int], d: list[int], shared: list[int]) -> None:
    one, other = (fingerprints(ast.parse("x = m = len\n" + source_of(each))) for each in (a + shared + b, c + shared + d))
    assert one.keys() & other.keys()


def test_a_shorter_run_shares_none() -> None:
    one, other = (fingerprints(ast.parse("x = m = z\n" + source_of(each))) for each in ([0, 1, 2, 3, 4, 5], [6, 7, 1, 2, 8, 9]))
    assert one and other and not one.keys() & other.keys()


def test_lines_are_those_of_the_run() -> None:
    found = fingerprints(ast.parse("x = m = e = 0\ndef f():\n    a = x - m\n    b = a * a\n    return b\n\ndef g():\n    return -x - m\n"))
    assert {lines for each in found.values() for lines in each} == {Lines(3, 5), Lines(8, 8)}


def test_a_run_that_comes_twice_has_both_places() -> None:
    found = fingerprints(ast.parse("def f(x):\n    return -x * x\n\ndef g(y):\n    return -y * y\n"))
    assert [*found.values()] == [(Lines(5, 5), Lines(2, 2))]


@pytest.mark.parametrize("source", ["", "import torch\n", "def f(x):\n    return -x\ndef g(x):\n    return -x\n"])
def test_functions_shorter_than_a_run_leave_nothing(source: str) -> None:
    assert fingerprints(ast.parse(source)) == {}


def test_fingerprints_are_the_same_in_every_process() -> None:
    code = f"import ast\nfrom normgrade.classes.similar.fingerprints import fingerprints\nSOURCE = {SOURCE!r}\n{PRINTED}"
    grader = str(Path(normgrade.__file__).parents[1])
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": grader},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {f"{sorted(fingerprints(ast.parse(SOURCE)))}\n"}
