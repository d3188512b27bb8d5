"""Tests of the collection of hidden suites: docstrings and claims, fixtures, and isolation from the surroundings."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hidden_suites import HEAD, RIGHT, EditedCourse, InThisProcess, RunSuite, changed, one, played, test_function

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.language.errors import CourseError
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect

# Collecting


def test_suites_are_collected_once_and_run_many_times(edited_course: EditedCourse, expectations: Path, tmp_path: Path) -> None:
    log = tmp_path / "collected"
    note = f"import pytest\nwith open({str(log)!r}, 'a') as log:\n    log.write(__file__[-6:])\n"
    course = edited_course({f"tests/hidden/test_{slug}.py": [("import pytest\n", note)] for slug in ("rms", "centring")})
    exercises = list(course)

    suites = collect(exercises)
    assert [suites[slug].points for slug in ("rms", "centring")] == [8, 10]
    players = [InThisProcess(read_text(exercise.reference), exercise) for exercise in exercises] * 2
    outcomes = [[result.check.outcome for result in played(suites[player.exercise.slug], player, expectations)] for player in players]
    assert outcomes == [[Outcome.PASSED] * 5, [Outcome.PASSED] * 7] * 2
    assert sorted([log.read_text()[:6], log.read_text()[6:]]) == ["ing.py", "rms.py"]


def test_check_has_the_values_of_its_claim(run_suite: RunSuite) -> None:
    doc = "It holds,\n    and well.\n\n    This is not told."
    body, more, marks = "agree(build(3), train(randn(size, 3)))", 'points=3, hint="Look again."', '@pytest.mark.parametrize("size", [4, 5])'
    tests = test_function(body, more=more, marks=marks, doc=doc).replace("(agree,", "(size, agree,")
    tests += test_function("observe(build(3))", "test_other", "state")
    checks = run_suite(tests, changed("(x - mean)", "(x + mean)"))
    four, other = checks["test_it[4]"], checks["test_other"]
    assert list(checks) == ["test_it[4]", "test_it[5]", "test_other"]
    assert (four.claim, four.kind, four.points, four.earned, four.hint) == ("It holds, and well.", "formula", 3, 0, "Look again.")
    assert (other.claim, other.kind, other.points, other.earned, other.hint) == ("It holds.", "state", 1, 1, "")


def test_a_hint_is_kept_for_failures(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("agree(build(3))", more='hint="Look again."')))
    assert (check.outcome, check.hint) == (Outcome.PASSED, "")


@pytest.mark.parametrize(
    ("marks", "asks", "name"),
    [
        ("", "tmp_path, agree", "tmp_path"), ("", "agre", "agre"), ("@pytest.mark.skip", "agree", "skip"),
        ("@pytest.mark.xfail(strict=False)", "agree", "xfail"),
        ("@pytest.mark.skipif(True, reason='so')", "agree", "skipif"), ("@pytest.mark.usefixtures('observe')", "agree", "usefixtures"),
    ],
)  # fmt: skip
def test_pytests_own_fixtures_and_markers_are_refused(marks: str, asks: str, name: str, run_suite: RunSuite) -> None:
    test = test_function("agree(build(3))", marks=marks).replace("(agree, refuses, observe)", f"({asks})")
    with pytest.raises(CourseError) as caught:
        run_suite(test)
    assert f'test_it asks for "{name}", which a hidden suite does not have; it has agree, observe, refuses.' in str(caught.value)


def test_autouse_fixture_is_refused(run_suite: RunSuite) -> None:
    fixture = "@pytest.fixture(autouse=True)\ndef before():\n    raise ValueError\n\n"
    with pytest.raises(CourseError, match='test_it asks for "before"'):
        run_suite(fixture + test_function("agree(build(3))"))


# Broken suites


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        ("x = randn(3)\n", "line 3: the hidden suite cannot be collected: random inputs can only be drawn inside a test, not while "),
        ("\nx = 1 / 0\n", "line 4: the hidden suite cannot be collected: ZeroDivisionError: division by zero"),
        ("from normgrade.suite import rand\n", "line 3: the hidden suite cannot be collected: ImportError: cannot import name 'rand'"),
        ("def test_it(agree:\n", "line 3: the hidden suite cannot be collected: SyntaxError: '(' was never closed"),
        ("", "no tests found; a hidden suite needs at least one."),
        ("def check_it(agree):\n    pass\n", "no tests found; a hidden suite needs at least one."),
        ('@claim("state")\ndef test_it(agree):\n    pass\n', "test_it has no docstring; it is the claim that learners read."),
        (test_function("pass", doc=" "), "test_it has no docstring; it is the claim that learners read."),
        (
            test_function("pass", kind="stat"),
            "line 3: the hidden suite cannot be collected: test_it: there is no kind 'stat'. Did you mean \"state\"? "
            "There is interface, formula, state, gradient, edge, stability, precision.",
        ),
        ('def test_it():\n    """It holds."""\n', 'test_it needs `@claim("…")` with one of interface, '),
        (test_function("pass", more="points=-1"), "test_it: points=-1 must be a whole number of points."),
        (test_function("pass", more="points=1.5"), "test_it: points=1.5 must be a whole number of points."),
        (
            test_function("pass", marks="@pytest.mark.pionts(1)"),
            "line 4: the hidden suite cannot be collected: 'pionts' not found in `markers` configuration option",
        ),
    ],
)
def test_a_suite_that_cannot_be_used_is_named(tests: str, says: str, run_suite: RunSuite) -> None:
    with pytest.raises(CourseError) as caught:
        run_suite(tests)
    message = str(caught.value)
    assert says in message and re.search(r"tests/hidden/test_centring\.py(, line \d)?: ", message)


def test_broken_helper_is_named_with_its_line(edited_course: EditedCourse) -> None:
    course = edited_course(
        {"tests/hidden/shared.py": "\n\n1 / 0\n", "tests/hidden/test_rms.py": [("import pytest\n", "import pytest\nimport shared\n")]}
    )
    with pytest.raises(CourseError) as caught:
        collect([course.exercise("rms")])
    where = course.root / "tests/hidden/shared.py"
    assert str(caught.value) == f"{where}, line 3: the hidden suite cannot be collected: ZeroDivisionError: division by zero"


# Nothing leaks in


def test_surrounding_pytest_settings_are_ignored(
    edited_course: EditedCourse, expectations: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = edited_course({})
    raising, refusing = "raise RuntimeError('a conftest was read')\n", "[pytest]\naddopts = --nonsense\nfilterwarnings = nonsense\n"
    for folder in (tmp_path, course.root, course.root / "tests", course.root / "tests/hidden"):
        (folder / "conftest.py").write_text(raising, encoding="utf-8")
        (folder / "pytest.ini").write_text(refusing, encoding="utf-8")
        (folder / "tox.ini").write_text(refusing, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    leaks = {"PYTEST_ADDOPTS": "--nonsense", "PYTEST_PLUGINS": "nonsense", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "0"}
    for name, value in leaks.items():
        monkeypatch.setenv(name, value)
    exercise = course.exercise("centring")
    results = played(collect([exercise])["centring"], InThisProcess(RIGHT, exercise), expectations)
    assert {result.check.outcome for result in results} == {Outcome.PASSED}
    assert {name: os.environ.get(name) for name in leaks} == leaks


def test_nothing_is_left_in_the_environment(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    assert collect([tiny.exercise("rms")]).keys() == {"rms"}
    assert os.environ["PYTEST_ADDOPTS"] == "-x" and "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ


def test_suites_of_the_same_file_name_are_distinct(tiny: Course, edited_course: EditedCourse) -> None:
    """Collect two courses in one process, each with its own suite test_rms.py."""
    other = edited_course({"tests/hidden/test_rms.py": HEAD + test_function("pass", "test_mine")})
    names = [collect([course.exercise("rms")])["rms"].names for course in (tiny, other, tiny)]
    assert names[0] == names[2] != names[1] == ("test_mine",)


def test_courtesy_is_shown_in_the_check(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3), train(randn(4, 3)))", more="courtesy=True")
    check = one(run_suite(tests, changed("(x - mean)", "(x + mean)")))
    assert (check.outcome, check.courtesy, check.earned) == (Outcome.FAILED, True, 0)
