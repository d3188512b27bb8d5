"""The table of situations."""

from __future__ import annotations

from normgrade.course.course import Course, carried
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.matrix import matrix


def test_every_situation_has_a_line_and_every_exception_its_reason() -> None:
    exercises = list(Course(carried()))
    head, *lines = matrix(exercises)
    assert head.split() == [exercise.slug for exercise in exercises]
    assert [line.split()[0] for line in lines[: len(SITUATIONS)]] == list(SITUATIONS)
    left_out = [(exercise.slug, name, reason) for exercise in exercises for name, reason in exercise.left_out.items()]
    assert lines[len(SITUATIONS) :] == [f"· {slug}, {name}: {reason}" for slug, name, reason in left_out] and left_out
    row = dict(zip(head.split(), lines[list(SITUATIONS).index("every_dtype")].split()[1:], strict=True))
    assert (row["layer_norm"], row["spectral_norm"]) == ("✓", "·")
