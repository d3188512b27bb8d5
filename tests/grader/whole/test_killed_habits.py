"""Every habit fails the suites that it fits, or is left out with a reason: a part of them here, all of them in `verify --habits`."""

from __future__ import annotations

from pathlib import Path

import pytest
from thorough import EVERYTHING, all_exercises_or_few

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.verify.habits import fitting
from normgrade.verify.plays import Plays

EVERY = 1 if EVERYTHING else 4  # of the habits that fit an exercise; the first one differs, so that each is played on many exercises


@pytest.mark.parametrize(("number", "slug"), [*enumerate(all_exercises_or_few())])
def test_habits_are_killed_or_left_out(number: int, slug: str, expectations: Path) -> None:
    exercise = Course(carried()).exercise(slug)
    with open_grader([exercise], Options()) as grader:
        plays = Plays(grader, exercise, lambda _what: None)
        alive = plays.surviving_habits(range(number % EVERY, len(fitting(exercise)), EVERY))
        assert [habit.name for habit in alive if habit.name not in exercise.left_out_habits] == []
