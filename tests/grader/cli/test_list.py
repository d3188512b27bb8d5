"""The command `list`: the exercises, and where one stands."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from normgrade.course.course import Course

Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


def test_list_shows_the_exercises_and_where_one_stands(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("rms")
    first = invoke("list")
    shutil.copy(tiny.exercise("centring").stub, here)
    second = invoke("list")
    rows = [" ".join(line.split()) for line in (first.stdout + second.stdout).splitlines()]
    assert (first.returncode, second.returncode) == (0, 0)
    assert rows.count("rms 1 8 started") == 2
    assert "centring 2 10 –" in rows and "centring 2 10 not started" in rows
    assert rows[:6] == ["exercise level points standing", "", "Functions", "rms 1 8 started", "", "Layers"]


def test_an_unfinished_exercise_stops_nothing_and_is_named(invoke: Invoke, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    (course.root / "exercises" / "my draft").mkdir()
    said = invoke("list", "--course", course.root)
    assert said.returncode == 0 and "centring" in said.stdout and "rms" not in said.stdout
    assert said.stderr.splitlines() == [
        f'Warning: "my draft" is left out. {course.root}/exercises/my draft: it has no file exercise.toml. '
        f"`normgrade verify 'my draft' --course {course.root}` says what is missing.",
        f'Warning: "rms" is left out. {course.root}/exercises/rms/exercise.toml: not valid TOML: Invalid value (at end of document). '
        f"`normgrade verify rms --course {course.root}` says what is missing.",
    ]
