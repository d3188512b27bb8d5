"""Tests of both sides of a trial, as `try` shows them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from rich.console import Console

from normgrade.cli.two_sides import show
from normgrade.compare.played import Played
from normgrade.course.course import Course
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.wire.observation import Array, Cause, Error, Frame, Observation, Value
from normgrade.worker.wire.requests import FunctionCall

OUTPUT, GRADIENT, WEIGHT = Place("output", step=1), Place("gradient of input", step=1), Place("{name}", step=1, name="weight")
RESULT = Place("result")
SOURCE = "def rms(x, eps=1e-5):\n    y = x\n    raise ValueError('x is empty')\n"
REFUSED = Error(Cause.RAISED, "x is empty", ("ValueError", "Exception"), (Frame(3, "rms", "raise ValueError('x is empty')"),), 1)
Shown = Callable[..., tuple[bool, str]]


def array(*values: float) -> Array:
    return Array(np.array(values, np.float32), "float32")


@pytest.fixture
def shown(tiny: Course) -> Shown:
    """Return a function that shows two sides, and returns True if they agree and the output on one line."""

    def printed(
        right: Mapping[Place, Array], seen: Mapping[str, Value], own: Error | None = None, refused: Error | None = None,
        stdout: str = "", spread: float = 0.0, source: str = SOURCE,
    ) -> tuple[bool, str]:  # fmt: skip
        places = {
            place: Expected(Array(each.values.astype(float), "float64"), "float32", np.full(each.values.shape, spread))
            for place, each in right.items()
        }
        play = Played(Observation(seen, own, stdout), Expectation(FunctionCall("rms"), places, refused))
        console = Console(file=io.StringIO(), width=80)
        agree = show(console, "rms · rms.py", play, tiny.exercise("rms"), source)
        assert isinstance(console.file, io.StringIO)
        return agree, " ".join(console.file.getvalue().split())

    return printed


def test_sides_that_agree_show_their_first_numbers(shown: Shown) -> None:
    agree, said = shown({OUTPUT: array(*range(8)), WEIGHT: array(1)}, {OUTPUT: array(*range(8)), WEIGHT: array(1)})
    assert agree and said.startswith("rms · rms.py output · float32 · (8,): they agree at reference yours off by allowed [0] 0 0 0")
    assert "[5] 5 5 0" in said and "[6]" not in said and "and 2 more" in said
    assert "weight" not in said and said.endswith("✓ They agree within the rounding of float32.")


def test_every_place_that_differs_is_shown(shown: Shown) -> None:
    right = {OUTPUT: array(1, 2), GRADIENT: array(3), WEIGHT: array(1)}
    agree, said = shown(right, {OUTPUT: array(1, 2), GRADIENT: array(4), WEIGHT: Array(np.ones(2, np.float32), "float32")})
    assert not agree and "gradient of input · float32 · (1,): the number differs" in said
    assert "weight · float32 · (1,) expected a float32 tensor of shape (1,) got a float32 tensor of shape (2,)" in said
    assert said.endswith("✗ They differ: gradient of input; weight.")


def test_an_array_without_numbers_agrees(shown: Shown) -> None:
    assert "output · float32 · (0,): they agree ✓" in shown({OUTPUT: array()}, {OUTPUT: array()})[1]


def test_numbers_that_float32_leaves_open_are_told(shown: Shown) -> None:
    agree, said = shown({OUTPUT: array(1)}, {OUTPUT: array(7)}, spread=np.inf)
    assert agree and "Some numbers of the reference are undetermined in float32. Any number agrees there." in said


def test_exceptions_of_both_sides_are_compared(shown: Shown) -> None:
    agree, said = shown({}, {}, REFUSED, REFUSED)
    assert (
        agree
        and "The reference raises an exception: ValueError: x is empty Your code raises an exception: ValueError: x is empty 3 │" in said
    )
    assert said.endswith("✓ They agree: both raise the same exception.")
    agree, said = shown({}, {OUTPUT: array(1, 2)}, None, REFUSED)
    assert not agree and "Your code returns a float32 tensor of shape (2,): 1, 2. ✗ They differ." in said
    agree, said = shown({OUTPUT: array(1, 2)}, {}, REFUSED)
    assert not agree and "The reference returns a float32 tensor of shape (2,): 1, 2. Your code raises an exception: ValueError" in said
    assert "Your code returns no result: no answer" in shown({OUTPUT: array(1)}, {}, Error(Cause.TIMED_OUT, "no answer"))[1]


def test_a_forgotten_return_is_named(shown: Shown) -> None:
    agree, said = shown({RESULT: array(1)}, {RESULT: None}, source="def rms(x, eps=1e-5):\n    y = x\n")
    assert not agree and "`rms` ends without `return` 2 │ y = x" in said and said.endswith("✗ They differ: result.")


def test_the_output_of_the_code_steers_no_terminal(shown: Shown) -> None:
    assert "your code printed: [bold]red" in shown({OUTPUT: array(1)}, {OUTPUT: array(1)}, stdout="[bold]\x1b[31mred")[1]
