"""The table of situations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from normgrade.course.course import Course, carried
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.matrix import matrix

EXERCISES = list(Course(carried()))


def test_every_situation_has_a_line_and_every_exception_its_reason() -> None:
    head, *lines = matrix(EXERCISES, width=1000)
    assert head.split() == [exercise.slug for exercise in EXERCISES]
    assert [line.split()[0] for line in lines[: len(SITUATIONS)]] == list(SITUATIONS)
    left_out = [(exercise.slug, name, reason) for exercise in EXERCISES for name, reason in exercise.left_out.items()]
    assert lines[len(SITUATIONS) + 1 :] == [f"· {slug}, {name}: {reason}" for slug, name, reason in left_out] and left_out
    row = dict(zip(head.split(), lines[list(SITUATIONS).index("every_dtype")].split()[1:], strict=True))
    assert (row["layer_norm"], row["spectral_norm"]) == ("✓", "·")


def test_a_reason_neither_steers_a_terminal_nor_commands_a_ci_system() -> None:
    *_table, reason = matrix([replace(EXERCISES[0], left_out={"views": "a\x1b[2Jb ##[error]\n::error::c"})])
    assert reason == f"· {EXERCISES[0].slug}, views: a·[2Jb ·#[error]\n·:error::c"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_goes_on_below_where_it_is_too_wide(width: int) -> None:
    lines = [line for line in matrix(EXERCISES, width) if not line.startswith("·")]
    heads = [line for line in lines if line.startswith(" ")]
    assert [slug for head in heads for slug in head.split()] == [exercise.slug for exercise in EXERCISES]
    assert max(map(len, lines)) <= width and len(heads) > 1


def test_an_exercise_that_is_wider_than_the_terminal_has_a_table_of_its_own() -> None:
    heads = [line for line in matrix(EXERCISES[:2], width=1) if line.startswith(" ")]
    assert [head.split() for head in heads] == [[exercise.slug] for exercise in EXERCISES[:2]]
