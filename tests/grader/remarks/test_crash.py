"""The exception of a failed check: its message, its place, and advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.played import Played, Result
from normgrade.course.exercise import Exercise
from normgrade.course.signature import Signature
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.remarks.crash import told
from normgrade.report.report import Check, Kind, Outcome, Raised
from normgrade.worker.wire.observation import Array, Cause, Error, Frame, Observation
from normgrade.worker.wire.requests import FunctionCall

CONTRACT = (Signature.parse("rms(x, eps=1e-5)"),)
EXERCISE = Exercise("rms", Path("course"), title="", group="", level=1, order=0, points=0, defines=CONTRACT)
SOURCE = "import torch\ndef rms(x, eps=1e-5):\n    return torch.sqrrt(x)\n"
ZEROS = Expected(Array(np.zeros(2), "float64"), "float32", np.zeros(2))
EXPECTATION = Expectation(FunctionCall("rms"), {Place("result"): ZEROS})
REFUSED = Expectation(FunctionCall("rms"), {}, Error(Cause.RAISED, "no", ("ValueError",), step=1))
RIGHT = Observation({Place("result"): Array(np.zeros(2, np.float32), "float32")})
ERROR = Error(Cause.RAISED, "module 'torch' has no attribute 'sqrrt'", ("AttributeError",), (Frame(3, "rms", "", 12, 11),), meant="sqrt")
FAILED = Check("test_a", "Claim.", Kind.FORMULA, Outcome.FAILED, 1)


def raised(error: Error | None, *before: Played, source: str = SOURCE, check: Check = FAILED) -> Raised | None:
    """Return the exception of a check whose last play ended with this error."""
    last = Played(RIGHT if error is None else Observation(error=error), EXPECTATION)
    return told(check, Result(check, (*before, last)), EXERCISE, source).raised


def said(error: Error) -> str:
    found = raised(error)
    assert found is not None
    return found.said


def test_an_exception_is_told_with_its_place() -> None:
    message = "AttributeError: module 'torch' has no attribute 'sqrrt'. Did you mean: 'sqrt'?"
    assert raised(ERROR) == Raised(message, 3, 18, 5, "    return torch.sqrrt(x)", "rms")


def test_the_play_that_ended_too_early_is_told() -> None:
    found = raised(ERROR, Played(RIGHT, EXPECTATION))
    assert found is not None and found.line == 3


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.SKIPPED, Outcome.ERROR])
def test_a_check_that_did_not_fail_tells_nothing(outcome: Outcome) -> None:
    assert raised(ERROR, check=replace(FAILED, outcome=outcome)) is None


def test_nothing_is_told_without_an_exception_or_valid_source() -> None:
    assert raised(None) is None and raised(ERROR, source="x = = 1") is None
    assert told(FAILED, Result(FAILED, ()), EXERCISE, SOURCE) == FAILED


def test_only_unexpected_exceptions_are_told() -> None:
    due, other = Error(Cause.RAISED, "x", ("ValueError", "Exception"), step=1), Error(Cause.RAISED, "x", ("IndexError",), step=1)
    found = []
    for error in (due, replace(due, step=2), other):
        play = Played(Observation(error=error), REFUSED, ("ValueError",))
        found.append(told(FAILED, Result(FAILED, (play,), play), EXERCISE, SOURCE).raised)
    assert found[0] is None and found[1] is not None and found[2] is not None
    assert found[2] == Raised(
        "IndexError: x", advice="This input must raise ValueError: check the input first, and raise ValueError yourself."
    )


def test_a_call_without_frames_is_placed_at_its_definition() -> None:
    error = Error(Cause.RAISED, "rms() got an unexpected keyword argument 'eps'", ("TypeError",))
    found = raised(error, source="def rms(x):\n    return x\n")
    assert found is not None and (found.line, found.column, found.width, found.text) == (1, 5, 3, "def rms(x):")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Error(Cause.TIMED_OUT, "no answer within 5 s"), "no answer within 5 s"),
        (Error(Cause.OUT_OF_MEMORY, "memory limit: 1 MiB", ("MemoryError",)), "memory limit: 1 MiB"),
        (Error(Cause.CRASHED, "your code crashed"), "your code crashed"),
        (Error(Cause.NOT_LOADED, "no", ("ImportError",)), "ImportError: no"),
        (Error(Cause.RAISED, "", ("KeyError",)), "KeyError"),
        (Error(Cause.RAISED, "f() got (int), but expected one of:\n * (Tensor)", ("TypeError",)), "TypeError: f() got (int)"),
        (Error(Cause.RAISED, "x" * 1000, ("KeyError",)), f"KeyError: {'x' * 300}…"),
    ],
)
def test_the_message_takes_one_line(error: Error, text: str) -> None:
    assert said(error) == text
