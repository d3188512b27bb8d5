"""Spots in a submission: the source bounds the places that a worker reports, and only the last name of an attribute is marked."""

from __future__ import annotations

import ast

import pytest

from normgrade.inspection.program import Program, program_of
from normgrade.remarks.spots import SPOTLESS, Spot, spot_at, spot_of
from normgrade.worker.wire.observation import Cause, Error, Frame

LINE = "    é = torch.nn.meen(x)"


@pytest.fixture
def program() -> Program:
    found = program_of(f"import torch\ndef f(x):\n{LINE}\n    return (\n        x)\nf(1)\n")
    assert found is not None
    return found


def raised(*frames: Frame, kind: str = "ValueError") -> Error:
    return Error(Cause.RAISED, "no", (kind, "Exception"), frames)


def test_a_spot_is_that_of_the_innermost_frame(program: Program) -> None:
    error = raised(Frame(6, "<module>", "f(1)", 1, 4), Frame(3, "f", "what a worker says", 9, 16))
    assert spot_of(error, program) == Spot(3, 9, 16, LINE, "f")


def test_only_the_last_name_of_an_attribute_is_marked(program: Program) -> None:
    assert spot_of(raised(Frame(3, "f", "", 9, 13)), program) == Spot(3, 18, 4, LINE, "f")


def test_endless_recursion_is_told_at_its_repeated_line(program: Program) -> None:
    error = raised(*[Frame(6, "g", "", 1, 4)] * 4, Frame(3, "f", "", 9, 16), kind="RecursionError")
    assert spot_of(error, program) == Spot(6, 1, 4, "f(1)", "<module>")


@pytest.mark.parametrize("frame", [None, Frame(0, "f", ""), Frame(8, "f", ""), Frame(2**62, "f", "", 2**62, 2**62)])
def test_an_absent_line_has_no_spot(program: Program, frame: Frame | None) -> None:
    assert spot_of(raised(*([frame] if frame else [])), program) == SPOTLESS


def test_a_spot_ends_with_its_line(program: Program) -> None:
    assert spot_of(raised(Frame(6, "x", "", 2**62, 2**62)), program)[:3] == (6, 4, 1)
    assert spot_of(raised(Frame(3, "x", "", 9, 2**62)), program)[:3] == (3, 9, len(LINE) - 8)
    assert spot_of(raised(Frame(3, "x", "", 0, 7)), program)[:3] == (3, 0, 0)


def test_a_node_is_marked_on_its_first_line(program: Program) -> None:
    function = program.definitions[0].node
    assert spot_at(function, program) == Spot(2, 5, 1, "def f(x):", "f")
    [called] = (node for node in program.on(3) if isinstance(node, ast.Call))
    assert spot_at(called, program) == Spot(3, 9, 16, LINE, "f")
    assert spot_at(function.body[1], program) == Spot(4, 5, 8, "    return (", "f")
