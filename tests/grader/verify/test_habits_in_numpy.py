"""Habits in NumPy: each shows, in every exercise that it fits, unless it is left out."""

from __future__ import annotations

import pytest
from habits_played_in_numpy import PLAYS, USED, alike, seen

from normgrade.course.course import Course, carried
from normgrade.course.files import read_text
from normgrade.verify.habits import fitting, habits_in, with_habit


def hidden(slug: str) -> set[str]:
    """The habits that an exercise does not show."""
    exercise = Course(carried()).exercise(slug)
    right = read_text(exercise.reference)
    return {
        habit.name
        for habit in fitting(exercise)
        if alike(seen(right, USED[slug], habit.name), seen(with_habit(exercise, habit), USED[slug], habit.name))
    }


def test_every_habit_has_a_play_and_every_exercise_a_use() -> None:
    assert list(PLAYS) == [habit.name for habit in habits_in("numpy")]
    assert list(USED) == [exercise.slug for exercise in Course(carried()) if exercise.written_with == "numpy"]


@pytest.mark.parametrize("slug", USED)
def test_a_habit_shows_unless_it_is_left_out(slug: str) -> None:
    assert hidden(slug) <= Course(carried()).exercise(slug).left_out_habits.keys()
