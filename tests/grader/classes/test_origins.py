"""Tests of origins: a verdict that can change has another origin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import normgrade
from normgrade.classes.origins import digest_of_exercise, origin_of
from normgrade.course.course import Course

EditedCourse = Callable[[dict[str, Any]], Course]


@pytest.mark.parametrize(
    "file",
    [
        "course.toml",
        "exercises/centring/exercise.toml",
        "exercises/centring/centring.py",
        "solutions/centring/reference.py",
        "solutions/centring/mistakes.toml",
        "solutions/centring/alternatives/new.py",
        "solutions/mistakes.toml",
        "tests/hidden/test_centring.py",
        "tests/hidden/shared.py",
    ],
)
def test_every_file_that_decides_changes_the_digest(file: str, tiny: Course, edited_course: EditedCourse) -> None:
    path = tiny.root / file
    text = (path.read_text(encoding="utf-8") if path.exists() else "") + "\n# changed\n"
    changed = edited_course({file: text})
    assert digest_of_exercise(changed.exercise("centring")) != digest_of_exercise(tiny.exercise("centring"))


@pytest.mark.parametrize("file", ["exercises/centring/README.md", "exercises/rms/probes.py", "tests/hidden/test_rms.py"])
def test_other_files_leave_the_digest_alone(file: str, tiny: Course, edited_course: EditedCourse) -> None:
    changed = edited_course({file: (tiny.root / file).read_text(encoding="utf-8") + "\n# changed\n"})
    assert digest_of_exercise(changed.exercise("centring")) == digest_of_exercise(tiny.exercise("centring"))


def test_origin_has_the_versions(tiny: Course) -> None:
    origin = origin_of(tiny.exercise("rms"), 3)
    assert origin.versions["normgrade"] == normgrade.__version__
    assert {*origin.versions} == {"normgrade", "python", "numpy", "torch"}
    assert (origin.seed, len(origin.course), len(origin.program)) == (3, 64, 64)
