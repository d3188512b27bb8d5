"""Tests of the command `list`: the exercises and the learner's standing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.report.report import Outcome

Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


def test_list_shows_the_exercises_and_the_standing(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("rms")
    first = invoke("list")
    shutil.copy(tiny.exercise("centring").stub, here)
    second = invoke("list")
    rows = [" ".join(line.split()) for line in (first.stdout + second.stdout).splitlines()]
    assert (first.returncode, second.returncode) == (0, 0)
    assert rows.count("rms 1 5 3 8 started") == 2
    assert "centring 2 10 3 10 –" in rows and "centring 2 10 3 10 not started" in rows
    assert rows[:6] == ["exercise level minutes importance points status best after", "", "Functions", "rms 1 5 3 8 started", "", "Layers"]


AFTER_RMS = {"exercises/centring/exercise.toml": [("order = 20\n", 'order = 20\nafter = ["rms"]\n')]}


def test_list_shows_prerequisites_and_the_next_exercise(
    run: Callable[..., tuple[int, str, str]], edited_course: Callable[..., Course], tmp_path: Path
) -> None:
    course = str(edited_course(AFTER_RMS).root)
    assert "centring 2 10 3 10 – rms Run `normgrade show SLUG` to see a task" in run("list", "--course", course)[1]
    run("init", ".", "--course", course)
    out = run("list", "--course", course)[1]
    assert "centring 2 10 3 10 not started rms" in out
    assert out.endswith("Next is rms (level 1, Functions). Run `normgrade show rms` to see the task, and write your code in rms.py.")
    Attempts(tmp_path / ".normgrade/progress.db").add([Attempt(datetime.now(UTC), "rms", Outcome.PASSED, 8, 8)])
    out = run("list", "--course", course)[1]
    assert (
        "rms 1 5 3 8 passed" in out
        and "centring 2 10 3 10 not started Run `normgrade" in out
        and "Next is centring (level 2, Layers)" in out
    )


def test_important_exercises_that_fit_are_for_an_hour(invoke: Invoke, edited_course: Callable[..., Course]) -> None:
    """Name them only if not all of them fit."""
    assert "If you have an hour" not in invoke("list").stdout
    long = edited_course({"exercises/rms/exercise.toml": [("order = 10\n", "order = 10\nminutes = 55\nimportance = 5\n")]})
    assert "\nIf you have an hour: rms.\n" in invoke("list", "--course", long.root).stdout


def test_an_hour_begins_with_the_next_exercise(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMGRADE_COURSE")
    invoke("init", ".")
    listed, begun = (" ".join(invoke(*command).stdout.split()) for command in (["list"], []))
    assert "If you have an hour: layer_norm, rms_norm, softmax, batch_norm, cross_entropy. " in listed
    assert begun.startswith("Next is layer_norm ") and listed.endswith(begun)


def test_an_unfinished_exercise_stops_nothing_and_is_named(invoke: Invoke, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    (course.root / "exercises" / "my draft").mkdir()
    said = invoke("list", "--course", course.root)
    assert said.returncode == 0 and "centring" in said.stdout and "rms" not in said.stdout
    assert said.stderr.splitlines() == [
        f'Warning: "my draft" is skipped. {course.root}/exercises/my draft: it has no file exercise.toml. '
        f"Run `normgrade verify 'my draft' --course {course.root}` to see what is missing.",
        'Warning: "rms" is skipped. '
        f"{course.root}/exercises/rms/exercise.toml: not valid TOML: Invalid value (at end of document). "
        f"Run `normgrade verify rms --course {course.root}` to see what is missing.",
    ]


def test_course_without_a_ready_exercise_is_told(run: Callable[..., tuple[int, str, str]]) -> None:
    run("new", "my_norm", "MyNorm(dim)", "--course", "mine")
    code, out, err = run("list", "--course", "mine")
    assert (code, out) == (0, "No exercise of this course is ready. Run `normgrade verify --course mine` to see what is missing.")
    assert err.startswith('Warning: "my_norm" is skipped. ')
