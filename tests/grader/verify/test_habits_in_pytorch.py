"""Tests that every habit in PyTorch shows in every exercise that it fits, unless the exercise leaves it out."""

from __future__ import annotations

import pytest
from habits_played import PLAYS, USED, alike, seen

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.verify.habits import fitting, habits_in, with_habit

FAST = ("layer_norm", "batch_norm", "mix_norm", "ada_in")  # every habit fits at least one of them


def hidden(slug: str) -> set[str]:
    """Return the names of the habits that do not show in an exercise."""
    exercise = Course(carried()).exercise(slug)
    right = USED[slug].of(read_text(exercise.reference))
    return {
        habit.name
        for habit in fitting(exercise)
        if alike(seen(right, habit.name), seen(USED[slug].of(with_habit(exercise, habit)), habit.name))
    }


def test_every_habit_and_exercise_has_an_entry() -> None:
    assert list(PLAYS) == [habit.name for habit in habits_in("torch")]
    assert list(USED) == [exercise.slug for exercise in Course(carried()) if exercise.written_with == "torch"]
    fast = {habit.name for slug in FAST for habit in fitting(Course(carried()).exercise(slug))}
    assert fast == set(PLAYS)


@pytest.mark.parametrize("slug", [pytest.param(slug, marks=() if slug in FAST else pytest.mark.slow) for slug in USED])
def test_a_habit_shows_unless_it_is_left_out(slug: str) -> None:
    assert hidden(slug) <= Course(carried()).exercise(slug).left_out_habits.keys()
