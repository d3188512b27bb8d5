"""Tests of the untrusted side: its answer to each message, and its exit code if a submission breaks Python."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from normgrade.course.package import PACKAGE
from normgrade.course.tensor_library import Library
from normgrade.worker.untrusted import worker as untrusted
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.observation import Array, Cause, Observation, Request


def test_a_source_is_loaded_and_played() -> None:
    loaded = untrusted.Loaded(Library.TORCH)
    assert untrusted.observe(messages.Load("def f(x):\n    return x + 1", "f.py", "submission"), loaded) == Observation()
    request = Request("function_call", {"function": "f", "args": [1], "kwargs": {}})
    assert untrusted.observe(messages.PlayQuestion(request, 100), loaded).values["result"] == 2


@pytest.mark.parametrize(
    ("source", "cause", "message"),
    [
        ("1 / 0", Cause.NOT_LOADED, "division by zero"),
        ("def f(:", Cause.NOT_LOADED, "invalid syntax"),
        ("exit(3)", Cause.EXITED, "3"),
    ],
)
def test_a_source_that_cannot_be_loaded_is_an_observation(source: str, cause: Cause, message: str) -> None:
    error = untrusted.observe(messages.Load(source, "f.py", "submission"), untrusted.Loaded(Library.TORCH)).error
    assert error is not None and error.cause is cause and message in error.message


def test_own_probes_are_played_on_the_submission() -> None:
    loaded = untrusted.Loaded(Library.TORCH)
    untrusted.observe(messages.Load("def f():\n    return 3", "f.py", "submission"), loaded)
    untrusted.observe(messages.Load("def twice(impl):\n    return {'seen': 2 * impl.f()}", "probes.py", "probes"), loaded)
    assert untrusted.observe(messages.PlayQuestion(Request("twice", {}), 100), loaded).values == {"seen": 6}


COUNTED = "calls = 0\n\ndef f():\n    global calls\n    calls += 1\n    return calls * {}\n"
CALL = Request("function_call", {"function": "f", "args": [], "kwargs": {}})


def test_repeated_source_in_questions_is_loaded_once() -> None:
    loaded = untrusted.Loaded(Library.TORCH)
    untrusted.observe(messages.Load(COUNTED.format(1), "f.py", "submission"), loaded)
    sources = [None, COUNTED.format(1), COUNTED.format(2), COUNTED.format(2), None, COUNTED.format(1)]
    seen = [untrusted.observe(messages.PlayQuestion(CALL, 100, source), loaded).values["result"] for source in sources]
    assert seen == [1, 2, 2, 4, 6, 1]


def test_broken_source_in_a_question_is_tried_again() -> None:
    loaded = untrusted.Loaded(Library.TORCH)
    untrusted.observe(messages.Load(COUNTED.format(1), "f.py", "submission"), loaded)
    for source in ("1 / 0", "1 / 0"):
        error = untrusted.observe(messages.PlayQuestion(CALL, 100, source), loaded).error
        assert error is not None and (error.cause, error.message) == (Cause.NOT_LOADED, "division by zero")
    assert untrusted.observe(messages.PlayQuestion(CALL, 100, COUNTED.format(3)), loaded).values["result"] == 3


@pytest.mark.parametrize("exactly", [True, False])
def test_a_question_may_be_played_in_float64(exactly: bool) -> None:
    loaded = untrusted.Loaded(Library.TORCH)
    untrusted.observe(messages.Load("import torch\n\ndef f():\n    return str(torch.ones(1).dtype)", "f.py", "submission"), loaded)
    seen = untrusted.observe(messages.PlayQuestion(CALL, 100, exactly=exactly), loaded).values["result"]
    assert seen == ("torch.float64" if exactly else "torch.float32")


def test_too_large_answer_is_replaced_by_an_error() -> None:
    observation = Observation({"result": Array(np.zeros(1000), "float64")})
    _serial, sent = messages.decode(Observation, untrusted.encoded(observation, 7, 100))
    assert sent.error is not None and sent.error.message.startswith("the observation cannot be sent: ")
    serial, sent = messages.decode(Observation, untrusted.encoded(observation, 7, 10_000), framing.ANSWER_HEADER_BYTES, 10_000)
    assert serial == 7 and sent.error is None


def test_closed_or_replaced_streams_are_ignored() -> None:
    closed = open(os.devnull, "w")  # noqa: SIM115
    closed.close()
    untrusted.flush([None, closed, object(), sys.stdout])  # type: ignore[list-item]
    assert closed.closed


SERVE = """
import os, sys
from normgrade.worker.untrusted import worker as untrusted
os.dup2(0, 3), os.dup2(1, 4), os.dup2(2, 1)
untrusted.serve("torch")
"""


@pytest.mark.skipif(os.name != "posix", reason="file descriptors as POSIX has them")
@pytest.mark.parametrize(("body", "code"), [("return 1", 0), ("import builtins; vars(builtins).clear()", 97)])
def test_exit_code_shows_if_it_could_answer(body: str, code: int) -> None:
    """Let it end by itself when no question is left."""
    asked = messages.encode(messages.Load(f"def f():\n    {body}", "f.py", "submission"))
    asked += messages.encode(messages.PlayQuestion(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 100))
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    assert subprocess.run([sys.executable, "-c", SERVE], input=asked, env=environment, capture_output=True).returncode == code
