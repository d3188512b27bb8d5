"""The error that keeps an exercise from being graded: a fault in one of its files that shows only when all of them are read."""

from __future__ import annotations

from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes
from normgrade.language.errors import CourseError


def fault(exercise: Exercise) -> CourseError | None:
    """Return the error in the mistakes or the suite of an exercise; None if it can be graded."""
    from normgrade.suite.collection import collect  # loads pytest

    try:
        read_mistakes(exercise)
        collect([exercise])
    except CourseError as error:
        return error
    return None
