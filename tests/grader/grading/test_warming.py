"""Tests of expectations computed in advance: they are kept, for all exercises and on several cores, and progress is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.grading.warming import UNITS, warm


@pytest.mark.parametrize("cores", [1, 2])
def test_expectations_are_kept_and_progress_is_reported(tiny: Course, empty_cache: Path, cores: int) -> None:
    told: list[tuple[str, int, int]] = []
    warm(list(tiny), Options(cores=cores, progress=lambda *step: told.append(step)))
    units = [step for step in told if step[0] in tiny.slugs]
    total = 2 * UNITS
    assert told[0] == ("expected results, once for seed 0", 0, total) and [done for _slug, done, _total in units][-1] == total
    before = contents(empty_cache)
    exercise = tiny.exercise("rms")
    grade([Submission(exercise, exercise.reference, "rms.py")])
    assert before and contents(empty_cache) == before


def contents(cache: Path) -> set[Path]:
    return {path for path in cache.rglob("*") if path.is_file()}
