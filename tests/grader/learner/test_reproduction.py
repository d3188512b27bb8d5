"""Tests of the scripts of `repro`: they show the same numbers as the grader, and their values are written exactly."""

from __future__ import annotations

import ast
import base64
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from normgrade.compare.played import Played, Result
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.course.tensor_library import Library
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language.places import Place
from normgrade.learner.reproduction import ARRAY, TENSOR, UNPACK, aliases, arguments, is_plain, literal, needed, script, worst
from normgrade.oracle.draws import complete
from normgrade.oracle.expectation import expect
from normgrade.probes.layers import ALIASES
from normgrade.report.report import ArrayDifference, Check, Kind, Numbers, Outcome
from normgrade.suite.story import Build, Part, build, call, copy, evaluate, forward_backward, function, linear, reload, request, train
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import LayerStory, TypedRequest

MISTAKES = [  # exercise, mistake, and a prefix of the check to reproduce
    ("layer_norm", "unbiased-variance", "test_"),
    ("layer_norm", "no-upcast", "test_half_precision"),
    ("layer_norm", "unbiased-variance", "test_gradients"),
    ("batch_norm", "biased-running-variance", "test_"),
    ("deep_norm", "rms-norm", "test_"),
    ("spectral_norm", "divided-by-sigma-squared", "test_"),
]
Found = Mapping[tuple[str, str, str], tuple[Result, Path, str]]


@pytest.fixture(scope="module")
def found(expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Return a failed check for every mistake, with the wrong file and the script."""
    course = Course.find()
    exercises = {slug: course.exercise(slug) for slug, _, _ in MISTAKES}
    made = {}
    with open_grader(list(exercises.values()), Options()) as grader:
        for slug, name, check in MISTAKES:
            exercise, folder = exercises[slug], tmp_path_factory.mktemp("repro")
            [mistake] = [each for each in read_mistakes(exercise) if each.name == name]
            path = folder / exercise.file_name
            path.write_text(mistake.source, encoding="utf-8")
            results = list(grader.results(exercise, mistake.source, path.name))
            failed = [each for each in results if each.check.outcome is Outcome.FAILED and each.check.name.startswith(check)]
            numeric = next(each for each in failed if isinstance(next(iter(each.check.differences), None), ArrayDifference))
            made[slug, name, check] = (numeric, path, script(exercise, path, numeric))
    return made


@pytest.mark.parametrize("which", MISTAKES, ids=lambda which: " ".join(which))
def test_a_script_gives_the_numbers_of_the_report(which: tuple[str, str, str], found: Found, tmp_path: Path) -> None:
    result, _, source = found[which]
    assert "normgrade" not in source.replace("Written by `normgrade repro`", "").replace("/normgrade/", "")
    assert len(source.splitlines()) <= 60
    path = tmp_path / "repro.py"
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(path)], cwd="/", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) <= 40
    difference = result.check.differences[0]
    shown = re.search(rf"^{re.escape(difference.place)}\n.*?off by\s+(\S+) at most", done.stdout, re.MULTILINE | re.DOTALL)
    assert shown is not None, done.stdout
    assert isinstance(difference, ArrayDifference) and float(shown[1]) == pytest.approx(difference.max_abs, rel=1e-3)


# With PyTorch


X = np.ones((2, 3), np.float32)


def test_aliases_are_those_of_the_probes() -> None:
    assert ast.literal_eval(aliases()) == ALIASES


@pytest.mark.parametrize(
    ("layer", "steps", "plain"),
    [
        (build(3), [train(X), reload(), evaluate(X, scattered=True)], True),
        (build(3), [train(X), copy()], False),
        (build(3), [train(X, view="strided")], False),
        (build(3).as_built(), [train(X)], False),
        (build(linear(3, 3)), [train(X)], False),
        (function("f"), [evaluate(X)], False),
    ],
)
def test_only_a_plain_story_needs_no_probe(layer: Build, steps: list[Part], plain: bool) -> None:
    story = request([layer, *steps], "Layer", 0)
    assert isinstance(story, LayerStory) and is_plain(story) == plain


# With NumPy


RIGHT = """
def forward(x, weight, scale=1.0):
    return x * weight * scale, (x, weight, scale)

def backward(dy, cache):
    x, weight, scale = cache
    return dy * weight * scale, (dy * x).sum(0) * scale
"""
WRONG = RIGHT.replace("(dy * x)", "dy")
ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
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
    said = written(request([forward_backward(scale=2.0), evaluate(ROWS, WEIGHT)], "forward", 0), tmp_path)
    assert said.startswith("\nstep 1 · gradient of input 2\n") and "off by" in said
    assert "normgrade" not in (tmp_path / "script.py").read_text(encoding="utf-8").replace("`normgrade repro`", "")


def test_unusual_steps_use_the_probe(tmp_path: Path) -> None:
    said = written(request([forward_backward(), evaluate(ROWS, WEIGHT, twice=True)], "forward", 0), tmp_path)
    assert "step 1 · gradient of input 2" in said
    assert "import forward_backward" in (tmp_path / "script.py").read_text(encoding="utf-8")


def test_a_call_is_written_as_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "WRONG", RIGHT.replace("return x * weight * scale, (x", "return x + weight, (x"))
    monkeypatch.setitem(globals(), "RIGHT", RIGHT.replace(", (x, weight, scale)\n", "\n"))
    monkeypatch.setitem(globals(), "WRONG", RIGHT.replace("x * weight * scale\n", "x + weight\n"))
    said = written(request([call("forward", ROWS, WEIGHT)], "forward", 0), tmp_path)
    assert "submission.forward(" in (tmp_path / "script.py").read_text(encoding="utf-8") and said.startswith("\nresult\n")


# Parts of scripts


TOOLS: dict[str, Any] = {"torch": torch, "np": np, "base64": base64}
exec(UNPACK, TOOLS)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (5, 4)])
def test_numbers_are_written_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values = values.astype("float32" if dtype == "bfloat16" else dtype)
    wanted = torch.tensor(values.tolist()).reshape(shape).to(getattr(torch, dtype))
    held = Array(wanted.float().numpy() if dtype == "bfloat16" else wanted.numpy(), dtype)
    assert torch.equal(eval(literal(held, TENSOR), TOOLS), wanted)


def test_other_values_are_written_as_python() -> None:
    assert eval(literal({"a": [1, (2,), None, True], "b": "text"}, TENSOR)) == {"a": [1, (2,), None, True], "b": "text"}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(2, 3), (5, 4)])
def test_arrays_are_written_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    read = eval(literal(Array(values, dtype), ARRAY), TOOLS)
    assert np.array_equal(read, values) and read.dtype == values.dtype


def test_arguments_are_written_as_in_a_call() -> None:
    assert arguments([1, "a"], {"eps": 0.1}, TENSOR) == "1, 'a', eps=0.1"


def test_of_a_large_array_the_worst_numbers_are_compared() -> None:
    expected, actual = np.zeros((4, 5)), np.zeros((4, 5))
    actual[1, 2], actual[3, 4], actual[0, 0] = 2.0, np.nan, 1.0
    where: dict[str, Any] = {
        "at": (1, 2),
        "expected": 0.0,
        "actual": 2.0,
        "allowed": 0.0,
        "max_abs": 2.0,
        "max_rel": 1.0,
        "mismatched": 3,
        "total": 20,
    }
    numbers = Numbers(expected, actual, np.zeros((4, 5)))
    found = ArrayDifference(place=Place("output"), dtype="float32", shape=(4, 5), numbers=numbers, **where)
    assert list(eval(worst(found)))[:3] == [(3, 4), (1, 2), (0, 0)]


def test_only_the_functions_that_are_called_are_written() -> None:
    tools = ["def a():\n    b()", "def b():\n    pass", "def c():\n    pass"]
    assert needed(tools, "a()") == "\ndef a():\n    b()\n\ndef b():\n    pass\n" and needed(tools, "x") == ""
