"""Tests of the description of an exception: its classes, message, the learner's own lines, and the name probably meant."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from normgrade.worker.untrusted.exceptions import FRAME_LIMIT, MESSAGE_LIMIT, describe, frames_running
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Cause, Error, Frame, Observation, Request


def called(source: str, trusted: bool = False) -> Observation:
    """Return the observation of a call of `f` in this source."""
    request = Request("function_call", {"function": "f", "args": [], "kwargs": {}})
    return play(load(source, "played.py", "played"), request, trusted=trusted)


def error(source: str) -> Error:
    observation = called(source)
    assert observation.error is not None and observation.values == {}
    return observation.error


def test_error_has_types_message_and_own_lines() -> None:
    source = "import torch\n\ndef g(x):\n    return torch.ones(2).view(3)\n\ndef f():\n    return g(1)\n"
    found = error(source)
    assert found.types == ("RuntimeError", "Exception", "BaseException") and found.cause == Cause.RAISED and found.step is None
    assert found.message == "shape '[3]' is invalid for input of size 2"
    assert found.frames == (Frame(7, "f", "return g(1)", 12, 4), Frame(4, "g", "return torch.ones(2).view(3)", 12, 21))


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("\tμ = '均值', 1 / 0, 2", "1 / 0"),
        ("    é = [  # of two\n        1, int('x'),\n    ]", "int('x')"),
        ("    x = int(  # which goes on\n        'x')", "int(  # which goes on"),
    ],
)
def test_columns_are_counted_in_characters(line: str, marked: str) -> None:
    source = f"def f():\n{line}\n"
    [frame] = error(source).frames
    whole = source.split("\n")[frame.line - 1]
    assert whole[frame.column - 1 :][: frame.width] == marked and frame.text == whole.strip()


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("import torch; torch.meen", "mean"),
        ("import torch; torch.ones(2).meen()", "mean"),
        ("import numpy; numpy.ones(2).Sum()", "sum"),
        ("value = 1; return valeu", "value"),
        ("return np.ones(2)", ""),
        ("import torch; torch.completely_different", ""),
        ("self = type('Layer', (), {'eps': 1})(); return eps", "self.eps"),
        ("raise NameError('no name is told')", ""),
        ("return type('Odd', (), {'__dir__': lambda self: 1 / 0})().meen", ""),
        ("return type('Odd', (), {'__dir__': lambda self: exit()})().meen", ""),
    ],
)
def test_probably_meant_name_is_suggested(body: str, meant: str) -> None:
    assert error(f"def f():\n    {body}\n").meant == meant


def test_running_code_has_frames_like_an_exception() -> None:
    def asked(frame: FrameType | None) -> None:
        told.append(frames_running(frame, "played.py"))

    told: list[tuple[Frame, ...]] = []
    module = load("def g(ask):\n    ask()\ndef f(ask):\n    return g(ask)\n", "played.py", "played")
    module.f(lambda: asked(sys._getframe()))
    assert told == [(Frame(4, "f", "return g(ask)", 12, 6), Frame(2, "g", "ask()", 5, 5))]


def test_own_exception_class_lists_its_bases() -> None:
    found = error("class Odd(ValueError, KeyError):\n    pass\n\ndef f():\n    raise Odd('no')\n")
    assert found.types == ("Odd", "ValueError", "KeyError", "LookupError", "Exception", "BaseException")


@pytest.mark.parametrize(
    ("definition", "first"),
    [
        ("class ValueError(Exception):\n    pass", "submission.ValueError"),
        ("class ValueError(Exception):\n    __module__ = 'builtins'", "submission.ValueError"),
        ("Named = type('Named', (type,), {'__name__': property(lambda _: 1 / 0)})\n"
         "class ValueError(Exception, metaclass=Named):\n    pass", "submission.ValueError"),
        ("ValueError = type('IndexError', (Exception,), {})", "submission.IndexError"),
        ("Like = type('Like', (type,), {'__eq__': lambda *_: True, '__hash__': lambda _: hash(ValueError)})\n"
         "class ValueError(Exception, metaclass=Like):\n    pass", "submission.ValueError"),
        ("import builtins\nclass Mine(Exception):\n    pass\nMine.__name__ = 'ValueError'\nValueError = Mine", "submission.ValueError"),
    ],
)  # fmt: skip
def test_only_built_in_errors_keep_their_plain_name(definition: str, first: str) -> None:
    assert error(f"{definition}\ndef f():\n    raise ValueError('no')\n").types == (first, "Exception", "BaseException")


def test_own_subclass_of_the_same_name_is_recognised() -> None:
    found = error("class ValueError(ValueError):\n    pass\ndef f():\n    raise ValueError('no')\n")
    assert found.types == ("submission.ValueError", "ValueError", "Exception", "BaseException")


@pytest.mark.parametrize(
    ("body", "cause", "types", "message"),
    [
        ("import sys; sys.exit(3)", Cause.EXITED, ("SystemExit", "BaseException"), "3"),
        ("raise KeyboardInterrupt", Cause.RAISED, ("KeyboardInterrupt", "BaseException"), ""),
        ("raise GeneratorExit('x')", Cause.RAISED, ("GeneratorExit", "BaseException"), "x"),
    ],
)
def test_exceptions_that_end_a_program_are_observed(body: str, cause: Cause, types: tuple[str, ...], message: str) -> None:
    found = error(f"def f():\n    {body}\n")
    assert (found.cause, found.types, found.message) == (cause, types, message)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried", Cause.OUT_OF_MEMORY),
        ("std::bad_alloc", Cause.OUT_OF_MEMORY),
        ("could not create a primitive", Cause.OUT_OF_MEMORY),
        ("could not create a primitive descriptor for a convolution forward propagation primitive", Cause.RAISED),
    ],
)
def test_pytorchs_memory_errors_are_recognised(text: str, cause: Cause) -> None:
    source = f"def f():\n    raise RuntimeError({text!r})"
    error = called(source).error
    assert error is not None and error.cause is cause
    if cause is Cause.OUT_OF_MEMORY:  # then trusted code raises instead of being judged
        with pytest.raises(MemoryError):
            called(source, trusted=True)


def test_a_long_message_is_cut() -> None:
    assert error("def f():\n    raise ValueError('x' * 10**6)\n").message == "x" * MESSAGE_LIMIT


def test_unreadable_message_is_replaced() -> None:
    source = "class Mute(Exception):\n    def __str__(self):\n        raise SystemExit\n\ndef f():\n    raise Mute\n"
    assert error(source).message == "its message could not be read"


def test_only_the_innermost_frames_are_kept() -> None:
    found = error("def f(n=50):\n    if n == 0:\n        raise ValueError\n    return f(n - 1)\n")
    assert [frame.line for frame in found.frames] == [4] * (FRAME_LIMIT - 1) + [3]


def test_endless_recursion_is_an_ordinary_error() -> None:
    found = error("def f():\n    return f()\n")
    assert found.types[0] == "RecursionError" and len(found.frames) == FRAME_LIMIT


def test_error_outside_the_learners_file_has_no_frames() -> None:
    try:
        raise ValueError("ours")
    except ValueError as ours:
        assert describe(ours, "learner.py") == Error(Cause.RAISED, "ours", ("ValueError", "Exception", "BaseException"))


def test_error_while_loading_has_its_own_cause() -> None:
    assert describe(ValueError("x"), None, cause=Cause.NOT_LOADED).cause == Cause.NOT_LOADED
    assert describe(SystemExit(), None, cause=Cause.NOT_LOADED).cause == Cause.EXITED
