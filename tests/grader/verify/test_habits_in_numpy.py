"""Tests that every habit in NumPy shows in every exercise that it fits, unless the exercise leaves it out."""

from __future__ import annotations

import pytest
from habits_played_in_numpy import PLAYS, USED, alike, seen

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.verify.habits import fitting, habits_in, with_habit


def hidden(slug: str) -> set[str]:
    """Return the names of the habits that do not show in an exercise."""
    exercise = Course(carried()).exercise(slug)
    right = read_text(exercise.reference)
    return {
        habit.name
        for habit in fitting(exercise)
        if alike(seen(right, USED[slug], habit.name), seen(with_habit(exercise, habit), USED[slug], habit.name))
    }


def test_every_habit_and_exercise_has_an_entry() -> None:
    assert list(PLAYS) == [habit.name for habit in habits_in("numpy")]
    assert list(USED) == [exercise.slug for exercise in Course(carried()) if exercise.written_with == "numpy"]


@pytest.mark.parametrize("slug", USED)
def test_a_habit_shows_unless_it_is_left_out(slug: str) -> None:
    assert hidden(slug) <= Course(carried()).exercise(slug).left_out_habits.keys()
