"""Scripts that repeat a failed check without normgrade, and give the same numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.learner.repro.reproduction import script
from normgrade.report.report import ArrayDifference, Outcome

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
