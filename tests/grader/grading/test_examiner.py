"""Tests that hidden suites are ordinary pytest suites: plain pytest gives a submission the same verdicts as the grader."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from plain_pytest import pytest_on
from thorough import all_exercises_or_few

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.course.package import carried
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.inspection.inspection import inspect_file
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect

COURSE = Course(carried())
TINY = Course(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny")


def wrong(exercise: Exercise) -> str:
    """Return the source of a mistake that fails some checks of the exercise."""
    mistakes = read_mistakes(exercise)
    return next((each for each in mistakes if "eps" in each.name or "biased" in each.name), mistakes[0]).source


def outcomes_in(junit: Path) -> Mapping[str, str]:
    """Return the outcomes in a JUnit file by the name of the test, in the words of a report."""
    words = {"failure": "failed", "skipped": "skipped", "error": "error"}
    cases = ElementTree.parse(junit).getroot().iter("testcase")
    return {str(case.get("name")): next((words[part.tag] for part in case if part.tag in words), "passed") for case in cases}


def outcomes(exercise: Exercise, path: Path) -> Mapping[str, str]:
    """Return the grader's outcomes by the name of the check, without the diagnosis, which would take the most time."""
    found = {"inspection": "failed"} if inspect_file(path, exercise, allow_stub=True).findings else {}
    with open_grader([exercise], Options()) as grader:
        checks = [each.check for each in grader.results(exercise, read_text(path), path.name)]
    failed = {
        each.name: "skipped" for each in checks if each.courtesy and each.outcome is Outcome.FAILED
    }  # plain pytest shows a failed courtesy as skipped
    return found | {each.name: each.outcome.value for each in checks} | failed


def written(folder: Path, exercise: Exercise, source: str) -> Path:
    path = folder / exercise.file_name
    path.write_text(source, encoding="utf-8")
    return path


@pytest.mark.parametrize("slug", all_exercises_or_few())
def test_both_ways_give_the_same_verdicts(slug: str, tmp_path: Path, expectations: Path) -> None:
    exercise, junit = COURSE.exercise(slug), tmp_path / "junit.xml"
    path = written(tmp_path, exercise, wrong(exercise))
    done = pytest_on(exercise.suite, path, "--junitxml", str(junit), folder=tmp_path)
    ours = outcomes(exercise, path)
    assert outcomes_in(junit) == ours and done.returncode == 1
    assert {"passed", "failed"} <= set(ours.values())


def test_right_answer_passes_with_every_seed(tmp_path: Path, expectations: Path) -> None:
    exercise = TINY.exercise("centring")
    path = written(tmp_path, exercise, read_text(exercise.reference))
    for seed in ("0", "7"):
        done = pytest_on(exercise.suite, path, "--submission-seed", seed, folder=tmp_path)
        assert (done.returncode, "7 passed" in done.stdout) == (0, True), done.stdout


def test_options_of_pytest_hold(tmp_path: Path, expectations: Path) -> None:
    exercise = TINY.exercise("rms")
    path = written(tmp_path, exercise, "def rms(x, eps=1e-5):\n    print('hello')\n    return x\n")
    chosen = pytest_on(exercise.suite, path, "-k", "rows", "-v", folder=tmp_path)
    assert "deselected" in chosen.stdout and chosen.returncode == 1
    stopped = pytest_on(exercise.suite, path, "-x", folder=tmp_path)
    assert "stopping after 1 failures" in stopped.stdout and "1 failed" in stopped.stdout
    said = "Every row is divided by its own root mean square.\n"
    assert said in stopped.stdout and "hello" in stopped.stdout and "Traceback" not in stopped.stdout


def test_finding_of_the_inspection_is_a_failed_test(tmp_path: Path, expectations: Path) -> None:
    exercise = TINY.exercise("rms")
    path = written(tmp_path, exercise, "def root(x):\n    return x\n")
    done = pytest_on(exercise.suite, path, "-v", folder=tmp_path)
    assert "The file does not define `rms`, only `root`." in done.stdout
    assert f"1 failed, {len(collect([exercise])[exercise.slug].tests)} skipped" in done.stdout


def test_stub_is_judged_as_by_the_grader(tmp_path: Path, expectations: Path) -> None:
    exercise, junit = TINY.exercise("centring"), tmp_path / "junit.xml"
    path = written(tmp_path, exercise, read_text(exercise.stub))
    pytest_on(exercise.suite, path, "--junitxml", str(junit), folder=tmp_path)
    assert outcomes_in(junit) == outcomes(exercise, path)
    assert "skipped" in outcomes_in(junit).values()


def test_two_suites_at_once_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, TINY.exercise("rms"), "")
    done = pytest_on(TINY.exercise("rms").suite.parent, path, folder=tmp_path)
    assert done.returncode == 4
    assert (
        "--submission plays one hidden suite, but pytest collected: test_centring.py, test_rms.py. Pass one tests/hidden/test_SLUG.py."
        in done.stderr
    )


def test_missing_file_is_a_finding(tmp_path: Path) -> None:
    done = pytest_on(TINY.exercise("rms").suite, tmp_path / "rms.py", folder=tmp_path)
    assert done.returncode == 1 and "rms.py" in done.stdout and "does not exist" in done.stdout
