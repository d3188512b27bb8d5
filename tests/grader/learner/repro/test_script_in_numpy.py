"""Scripts that use only NumPy: they repeat the probe, and give the same numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.played import Played, Result
from normgrade.course.course import Course
from normgrade.course.tensor_library import Library
from normgrade.learner.repro.reproduction import script
from normgrade.oracle.draws import complete
from normgrade.oracle.expectation import expect
from normgrade.report.report import Check, Kind, Outcome
from normgrade.suite.story import call, evaluate, forward_backward, request
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.requests import TypedRequest

RIGHT = """
def forward(x, weight, scale=1.0):
    return x * weight * scale, (x, weight, scale)

def backward(dy, cache):
    x, weight, scale = cache
    return dy * weight * scale, (dy * x).sum(0) * scale
"""
WRONG = RIGHT.replace("(dy * x)", "dy")
X = np.arange(6, dtype=np.float32).reshape(2, 3)
WEIGHT = np.array([2.0, 3.0, 5.0], np.float32)


def written(asked: TypedRequest, folder: Path) -> str:
    """Return the output of the script for a play of the wrong source."""
    right, wrong = load(RIGHT, "right.py", "right"), load(WRONG, "wrong.py", "wrong")
    asked = complete(right, asked, None, Library.NUMPY)
    expectation = expect(right, asked, written_with=Library.NUMPY)
    seen = Played(play(wrong, expectation.request, written_with=Library.NUMPY), expectation)
    assert seen.differences
    path = folder / "wrong.py"
    path.write_text(WRONG, encoding="utf-8")
    check = Check("test_rows", "Rows.", Kind.FORMULA, Outcome.FAILED, 1, differences=seen.differences)
    source = script(Course.find().exercise("softmax_backward"), path, Result(check, (seen,)))
    (folder / "script.py").write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_story_is_written_as_a_learner_would(tmp_path: Path) -> None:
    said = written(request([forward_backward(scale=2.0), evaluate(X, WEIGHT)], "forward", 0), tmp_path)
    assert said.startswith("\nstep 1 · gradient of input 2\n") and "off by" in said
    assert "normgrade" not in (tmp_path / "script.py").read_text(encoding="utf-8").replace("`normgrade repro`", "")


def test_unusual_steps_use_the_probe(tmp_path: Path) -> None:
    said = written(request([forward_backward(), evaluate(X, WEIGHT, twice=True)], "forward", 0), tmp_path)
    assert "step 1 · gradient of input 2" in said
    assert "import forward_backward" in (tmp_path / "script.py").read_text(encoding="utf-8")


def test_a_call_is_written_as_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "WRONG", RIGHT.replace("return x * weight * scale, (x", "return x + weight, (x"))
    monkeypatch.setitem(globals(), "RIGHT", RIGHT.replace(", (x, weight, scale)\n", "\n"))
    monkeypatch.setitem(globals(), "WRONG", RIGHT.replace("x * weight * scale\n", "x + weight\n"))
    said = written(request([call("forward", X, WEIGHT)], "forward", 0), tmp_path)
    assert "submission.forward(" in (tmp_path / "script.py").read_text(encoding="utf-8") and said.startswith("\nresult\n")
