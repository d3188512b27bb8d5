"""Tests of the command `hint`: the next hint and the number left; without a workspace, hints are chosen by number."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.course.package import carried
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.report.report import Outcome

NEXT = "Next is {0} (level {1}, {2}). Run `normgrade show {0}` to see the task, and write your code in {0}.py."
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder that commands run in."""
    return tmp_path


def test_diagnosis_is_the_first_hint(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    [mistake] = [each for each in read_mistakes(tiny.exercise("rms")) if each.name == "sum-for-mean"]
    (here / "rms.py").write_text(mistake.source, encoding="utf-8")
    assert "sum-for-mean" in run("check", "rms")[1]
    assert run("hint", "rms")[1] == (
        "The diagnosis of your last check was sum-for-mean: The squares are added up. Average them. (1 more hint)"
    )
    assert run("hint", "rms")[1] == "Square, average, take the root. (This was the last hint.)"


def test_attempts_of_an_older_version_give_hints(run: Run, here: Path) -> None:
    run("init", ".")
    hint = "Average over the last dimension."  # version 1 kept the text of the hint, and no name of a check
    attempts = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, 1, 8, mistakes, "", hint) for mistakes in ((), ("sum-for-mean", "gone"))]
    progress = Attempts(here / ".normgrade/progress.db")
    progress.add(attempts[:1])
    assert run("hint", "rms")[1] == "About the first failure of your last check: Average over the last dimension. (1 more hint)"
    progress.add(attempts[1:])
    assert run("hint", "rms")[1].startswith("The diagnosis of your last check was sum-for-mean: ")
    assert run("hint", "rms")[1] == "Square, average, take the root. (This was the last hint.)"


def test_next_exercise_follows_instead_of_a_hint(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    progress = Attempts(here / ".normgrade/progress.db")
    progress.add([Attempt(datetime.now(UTC), "rms", Outcome.PASSED, 8, 8)])
    out = run("hint", "rms")[1]
    assert out == f"rms passed your last check, so there are no hints. {NEXT.format('centring', 2, 'Layers')}"
    assert progress.given("rms") == set()


def test_hints_have_numbers_without_a_workspace(run: Run, edited_course: Callable[..., Course]) -> None:
    assert run("hint", "rms") == (0, "Square, average, take the root. (This was the last hint.)", "")
    none = "There are no more hints for {}. Run `normgrade solution {} --spoil` to see the answer."
    assert run("hint", "rms", "2")[:2] == (0, none.format("rms", "rms"))
    assert run("hint", "centring")[:2] == (0, none.format("centring", "centring"))
    course = edited_course({"exercises/rms/exercise.toml": [('["Square', '["Look.", "Square')], "course.toml": 'reveal = "claims"\n'})
    of_two = ("hint", "rms", "--course", str(course.root))
    assert run(*of_two)[1] == "Look. (Hint 1 of 2. Run `normgrade hint rms 2` for the next one.)"
    assert run(*of_two, "3")[1] == "There are no more hints for rms."


@pytest.mark.parametrize(("first", "then"), [("en", "zh"), ("zh", "en")])
def test_another_language_gives_no_hint_again(first: str, then: str, run: Run, here: Path) -> None:
    run("init", ".", "--course", str(carried()))
    Attempts(here / ".normgrade/progress.db").add([Attempt(datetime.now(UTC), "rms_norm", Outcome.FAILED, 1, 20)])
    hints = len(Course(carried()).exercise("rms_norm").hints)
    given = [run("hint", "rms_norm", "--course", str(carried()), "--lang", language)[1] for language in (first, then) * hints]
    assert len({*given[:hints]}) == hints and all("rms_norm" in each for each in given[hints:])
