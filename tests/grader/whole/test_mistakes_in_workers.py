"""Tests that a known mistake gives the same results in the grader's process and in a worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from thorough import EVERYTHING, all_exercises_or_few, all_or

from normgrade.course.course import Course, carried
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader

EVERY = 3 if EVERYTHING else 6  # every sixth mistake: all of them would keep one core busy during the whole test run


@pytest.mark.parametrize("slug", all_exercises_or_few())
def test_mistake_fails_alike_here_and_in_a_worker(slug: str, expectations: Path) -> None:
    exercise = Course(carried()).exercise(slug)
    with open_grader([exercise], Options()) as grader:
        for mistake in all_or(3, read_mistakes(exercise)[::EVERY]):
            here, there = grader.mistaken(exercise, mistake), grader.results(exercise, mistake.source, exercise.file_name)
            for mine, theirs in zip(here, there, strict=True):
                assert (mine.check.name, mine.check.outcome) == (theirs.check.name, theirs.check.outcome)
                for one, other in zip(mine.plays, theirs.plays, strict=True):
                    assert one.facts.ending == other.facts.ending, (mistake.name, one.observation.error, other.observation.error)
                    assert one.facts.wrong.tolist() == other.facts.wrong.tolist(), mistake.name
