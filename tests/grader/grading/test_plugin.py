"""Tests of the plugin in ordinary pytest runs: without a submission it does nothing, and costs nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from plain_pytest import pytest_on

import normgrade
from normgrade.course.course import Course
from normgrade.suite.collection import collect

TINY = Course(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny")


def test_without_a_submission_the_option_is_named(tmp_path: Path) -> None:
    done = pytest_on(TINY.exercise("rms").suite, None, folder=tmp_path)
    said = "This test of a hidden suite needs a submission. Pass its file: pytest … --submission FILE."
    tests = len(collect([TINY.exercise("rms")])["rms"].tests)
    assert done.returncode == 1 and f"{tests} errors" in done.stdout
    assert done.stdout.count(said) >= tests and "Traceback" not in done.stdout  # in CI, pytest repeats it in its summary


def test_ordinary_tests_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "test_other.py"
    other.write_text("def test_sum():\n    assert 1 + 1 == 2\n", encoding="utf-8")
    done = pytest_on(other, tmp_path / "rms.py", folder=tmp_path)
    assert done.returncode == 4 and "collected: none" in done.stderr
    assert "1 passed" in pytest_on(other, None, folder=tmp_path).stdout


def test_without_a_submission_nothing_heavy_is_imported(tmp_path: Path) -> None:
    program = "import sys, normgrade.grading.plugin; print(sorted({'numpy', 'torch', 'click', 'rich'} & set(sys.modules)))"
    path = str(Path(normgrade.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
    assert done.stdout == "[]\n"
