"""Tests of the reasons why an exercise cannot be graded."""

from __future__ import annotations

from collections.abc import Callable

from normgrade.course.course import Course
from normgrade.grading.fault import fault

EditedCourse = Callable[..., Course]


def said(course: Course) -> str:
    return str(fault(course.exercise("rms"))).replace(f"{course.root}/", "")


def test_nothing_hinders_a_sound_exercise(tiny: Course) -> None:
    assert [fault(exercise) for exercise in tiny] == [None, None]


def test_unreadable_mistakes_hinder(edited_course: EditedCourse) -> None:
    assert said(edited_course({"solutions/rms/mistakes.toml": "[it]\n"})) == ("solutions/rms/mistakes.toml: it.says: is missing.")


def test_broken_suite_hinders_every_time(edited_course: EditedCourse) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(:\n"})
    first, second = said(course), said(course)
    assert first == second and first.startswith("tests/hidden/test_rms.py, line 1: the hidden suite cannot be collected: SyntaxError: ")
