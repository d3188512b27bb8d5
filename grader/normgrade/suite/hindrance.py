"""Why an exercise cannot be graded: one of its files is wrong in a way that shows only when all of them are read."""

from __future__ import annotations

from normgrade.course.course import Exercise
from normgrade.course.mistakes import read_mistakes
from normgrade.language.errors import CourseError


def hindrance(exercise: Exercise) -> CourseError | None:
    """What is wrong with the mistakes or the suite of an exercise; None where it can be graded."""
    from normgrade.suite.collection import collect  # and with it pytest and NumPy

    try:
        read_mistakes(exercise)
        collect([exercise])
    except CourseError as error:
        return error
    return None
