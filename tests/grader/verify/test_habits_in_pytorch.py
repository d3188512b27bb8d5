"""Habits in PyTorch: each shows, in every exercise that it fits, unless it is left out."""

from __future__ import annotations

import pytest
from habits_played import PLAYS, USED, alike, seen

from normgrade.course.course import Course, carried
from normgrade.course.files import read_text
from normgrade.verify.habits import fitting, habits_in, with_habit

FAST = ("layer_norm", "batch_norm", "mix_norm", "ada_in")  # between them, every habit fits one


def hidden(slug: str) -> set[str]:
    """The habits that an exercise does not show."""
    exercise = Course(carried()).exercise(slug)
    right = USED[slug].of(read_text(exercise.reference))
    return {
        habit.name
        for habit in fitting(exercise)
        if alike(seen(right, habit.name), seen(USED[slug].of(with_habit(exercise, habit)), habit.name))
    }


def test_every_habit_has_a_play_and_every_exercise_a_use() -> None:
    assert list(PLAYS) == [habit.name for habit in habits_in("torch")]
    assert list(USED) == [exercise.slug for exercise in Course(carried()) if exercise.written_with == "torch"]
    fast = {habit.name for slug in FAST for habit in fitting(Course(carried()).exercise(slug))}
    assert fast == set(PLAYS)


@pytest.mark.parametrize("slug", [pytest.param(slug, marks=() if slug in FAST else pytest.mark.slow) for slug in USED])
def test_a_habit_shows_unless_it_is_left_out(slug: str) -> None:
    assert hidden(slug) <= Course(carried()).exercise(slug).left_out_habits.keys()
