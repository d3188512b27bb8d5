"""Tests of shipped spreads: with them, an answer is graded without Monte Carlo plays and without PyTorch in the grader's process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.recording import recorded
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.oracle.shipped import shipped
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect

OUTCOMES = """
import sys
from pathlib import Path
from normgrade.course.course import Course
from normgrade.grading.opening import open_grader
from normgrade.grading.grading_options import Options

exercise = Course(Path(sys.argv[1])).exercise(sys.argv[2])
with open_grader([exercise], Options()) as grader:
    results = list(grader.results(exercise, Path(sys.argv[3]).read_text(), exercise.file_name))
print({str(result.check.outcome) for result in results}, "torch" in sys.modules)
"""


@pytest.fixture(scope="module")
def shipping(edited_course: object, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a copy of the tiny course that ships the oracle's spreads."""
    course: Course = edited_course({})  # type: ignore[operator]
    for exercise in course:
        oracle = Oracle.of(exercise, Cache(tmp_path_factory.mktemp("cache"), b"k" * 32))
        exercise.spreads.write_bytes(shipped(recorded(collect([exercise])[exercise.slug], exercise, oracle)))
    return course


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use an empty cache and configuration folder for every test."""
    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NORMGRADE_CONFIG", str(tmp_path / "configuration"))
    yield tmp_path / "cache"


def outcomes(exercise: Exercise, path: Path) -> str:
    """Grade an answer in a new process. Return the outcomes of its checks, and True if that process imported PyTorch, as text."""
    script = [sys.executable, "-c", OUTCOMES, str(exercise.course), exercise.slug, str(path)]
    return subprocess.run(script, capture_output=True, text=True, check=True, env=os.environ.copy()).stdout.strip()


@pytest.mark.parametrize("slug", ["rms", "centring"])
def test_the_grader_needs_no_pytorch(shipping: Course, slug: str) -> None:
    exercise = shipping.exercise(slug)
    for _time in ("first", "from the cache"):
        assert outcomes(exercise, exercise.reference) == "{'passed'} False"


def test_wrong_answer_fails_as_without_shipped_spreads(shipping: Course, tiny: Course, tmp_path: Path) -> None:
    wrong = tmp_path / "rms.py"
    wrong.write_text("def rms(x, eps=1e-5):\n    return x / ((x * x).mean(-1, keepdim=True).sqrt() + eps)\n", encoding="utf-8")
    found = []
    for course in (shipping, tiny):
        exercise = course.exercise("rms")
        with open_grader([exercise], Options()) as grader:
            found.append([(each.check.name, each.check.outcome) for each in grader.results(exercise, read_text(wrong), "rms.py")])
    assert found[0] == found[1] and Outcome.FAILED in {outcome for _name, outcome in found[0]}


def test_nothing_is_played_in_monte_carlo_arithmetic(shipping: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.oracle.oracle.expect", None)
    for exercise in shipping:
        with open_grader([exercise], Options()) as grader:
            results = list(grader.results(exercise, read_text(exercise.reference), exercise.file_name))
        assert {result.check.outcome for result in results} == {Outcome.PASSED}


def test_spreads_of_another_reference_are_not_used(shipping: Course, tmp_path: Path) -> None:
    """Compute the expectations here, as if nothing shipped."""
    exercise = shipping.exercise("rms")
    text = read_text(exercise.reference)
    exercise.reference.write_text(f"{text}\n# another\n", encoding="utf-8")
    try:
        assert outcomes(exercise, exercise.reference) == "{'passed'} True"
    finally:
        exercise.reference.write_text(text, encoding="utf-8")


def test_shipped_spreads_are_reproducible(shipping: Course, tmp_path: Path) -> None:
    for exercise in shipping:
        found = recorded(collect([exercise])[exercise.slug], exercise, Oracle.of(exercise, Cache(tmp_path, b"k" * 32)))
        assert shipped(found) == exercise.spreads.read_bytes()
