"""Tests of the libraries that exercises are written with."""

from __future__ import annotations

from dataclasses import replace

from normgrade.course.course import Course
from normgrade.course.tensor_library import Library


def test_an_exercise_that_bans_pytorch_uses_numpy(tiny: Course) -> None:
    exercise = tiny.exercise("rms")
    without = replace(exercise, banned=("torch",))
    assert (exercise.written_with.called, without.written_with.called) == ("PyTorch", "NumPy")
    assert {*Library} == {exercise.written_with, without.written_with}
