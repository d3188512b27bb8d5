"""Warnings about exercises that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.cli.warn import warn_of_unfinished, with_course, without_hindered
from normgrade.course.course import Course

EditedCourse = Callable[..., Course]


def test_a_sound_course_is_passed_over_in_silence(tiny: Course, capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_unfinished(tiny, None)
    assert without_hindered(tiny, None) == [*tiny]
    assert capsys.readouterr() == ("", "")


def test_each_unfinished_exercise_is_named_in_one_line(edited_course: EditedCourse, capsys: pytest.CaptureFixture[str]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("level = 1", "level = 9")]})
    warn_of_unfinished(course, None)
    assert capsys.readouterr() == (
        "",
        f'Warning: "rms" is left out. {course.root}/exercises/rms/exercise.toml: level: must be a whole number from 1 to 4, not 9. '
        "`normgrade verify rms` says what is missing.\n",
    )


def test_a_broken_suite_is_found_by_looking_for_it(edited_course: EditedCourse, capsys: pytest.CaptureFixture[str]) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "\n"})
    assert [exercise.slug for exercise in without_hindered(course, Path("my course"))] == ["centring"]
    assert capsys.readouterr().err == (
        f'Warning: "rms" is left out. {course.root}/tests/hidden/test_rms.py: no tests found; a hidden suite needs at least one. '
        "`normgrade verify rms --course 'my course'` says what is missing.\n"
    )


def test_a_command_names_the_course_that_was_named() -> None:
    assert with_course("normgrade list", None) == "normgrade list"
    assert with_course("normgrade list", Path("my course")) == "normgrade list --course 'my course'"
