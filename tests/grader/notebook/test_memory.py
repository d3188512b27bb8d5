"""The memory of a session, used if there is no workspace: hints are about the last check, and each is given once."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes
from normgrade.notebook.memory import Memory
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report


@pytest.fixture
def exercise(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exercise:
    """Return an exercise, with a current folder that is in no workspace."""
    monkeypatch.chdir(tmp_path)
    return tiny.exercise("rms")


def checked(outcome: Outcome, *mistakes: str) -> Report:
    checks = () if outcome is Outcome.PASSED else (Check("test_a", "The claim.", Kind.FORMULA, outcome, 1),)
    diagnoses = (Diagnosis(mistakes, "It is wrong.", ("test_a",)),) if mistakes else ()
    return Report("rms", "cell", outcome, 8, "linux", 0, 0.0, checks=checks, diagnoses=diagnoses)


def test_the_diagnosis_comes_before_the_exercises_own_hints(exercise: Exercise) -> None:
    mistake, memory = read_mistakes(exercise)[0], Memory()
    memory.add(exercise, checked(Outcome.FAILED, mistake.name))
    assert memory.next_hint("rms").startswith(f"The diagnosis of your last check was {mistake.name}: {mistake.says}\n(")
    for hint in exercise.hints:
        assert memory.next_hint("rms").startswith(f"{hint}\n(")
    assert memory.next_hint("rms") == "There are no more hints for rms. Run `normgrade solution rms --spoil` to see the answer."


def test_only_the_last_check_counts(exercise: Exercise) -> None:
    memory = Memory()
    memory.add(exercise, checked(Outcome.FAILED))
    memory.add(exercise, checked(Outcome.PASSED))
    assert memory.next_hint("rms") == "rms passed your last check, so there are no hints."


def test_it_answers_only_without_a_workspace(exercise: Exercise, tmp_path: Path) -> None:
    memory = Memory()
    assert not memory.answers(["hint", "rms"])
    memory.add(exercise, checked(Outcome.FAILED))
    asked = (["hint", "rms"], ["hint", "rms", "2"], ["hint", "centring"], ["show", "rms"], ["hint"])
    assert [memory.answers(arguments) for arguments in asked] == [True, False, False, False, False]
    (tmp_path / "normgrade.toml").touch()
    assert not memory.answers(["hint", "rms"])
