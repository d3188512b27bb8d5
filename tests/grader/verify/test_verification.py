"""Tests of the tables of situations and habits; test_proofs.py has those of the reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.package import carried
from normgrade.course.tensor_library import Library
from normgrade.report.report import NOTHING_RAN, Check, Kind, Outcome, Report
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.habits import fitting, habits_in
from normgrade.verify.verification import matrix, matrix_of_habits

EXERCISES = list(Course(carried()))


def test_situations_have_lines_and_exceptions_have_reasons() -> None:
    head, *lines = matrix(EXERCISES, width=1000)
    assert head.split() == [exercise.slug for exercise in EXERCISES]
    assert [line.split()[0] for line in lines[: len(SITUATIONS)]] == list(SITUATIONS)
    left_out = [(exercise.slug, name, reason) for exercise in EXERCISES for name, reason in exercise.left_out.items()]
    assert lines[len(SITUATIONS) + 1 :] == [f"· {slug}, {name}: {reason}" for slug, name, reason in left_out] and left_out
    row = dict(zip(head.split(), lines[list(SITUATIONS).index("every_dtype")].split()[1:], strict=True))
    assert (row["layer_norm"], row["spectral_norm"]) == ("✓", "·")


def test_reason_cannot_control_a_terminal_or_ci() -> None:
    *_table, reason = matrix([replace(EXERCISES[0], left_out={"views": "a\x1b[2Jb ##[error]\n::error::c"})])
    assert reason == f"· {EXERCISES[0].slug}, views: a·[2Jb ·#[error]\n·:error::c"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_table_too_wide_for_the_terminal_is_split(width: int) -> None:
    lines = [line for line in matrix(EXERCISES, width) if not line.startswith("·")]
    heads = [line for line in lines if line.startswith(" ")]
    assert [slug for head in heads for slug in head.split()] == [exercise.slug for exercise in EXERCISES]
    assert max(map(len, lines)) <= width and len(heads) > 1


def test_narrow_terminal_gives_each_exercise_a_table() -> None:
    heads = [line for line in matrix(EXERCISES[:2], width=1) if line.startswith(" ")]
    assert [head.split() for head in heads] == [[exercise.slug] for exercise in EXERCISES[:2]]


def told(slug: str, message: str) -> Report:
    """Return a report on an exercise with the proof of its habits."""
    proof = Check("habits", "They are killed.", Kind.PROOF, Outcome.FAILED, 1, message=message)
    return Report(slug, slug, Outcome.FAILED, 1, NOTHING_RAN, 0, 0.0, checks=(proof,))


def test_every_habit_has_a_line_with_its_outcome() -> None:
    exercises = [Course(carried()).exercise(slug) for slug in ("batch_norm", "softmax_backward")]
    reports = [told("batch_norm", "seed-set survives: The global seed is set."), told("softmax_backward", "")]
    head, *lines = matrix_of_habits(exercises, reports)
    row = {line.split()[0]: line for line in lines[: lines.index("")]}
    assert head.split() == ["batch_norm", "softmax_backward"]
    assert list(row) == [name for name in names_of_habits() if any(name in names for names in map(fitting_names, exercises))]
    assert (row["seed-set"].split()[1:], row["mode-toggled"].split()[1:]) == (["✗", "✓"], ["✓"])
    assert row["infinities-clamped"].split()[1:] == ["✓", "·"]
    assert row["gradients-kept"].index("✓") > row["mode-toggled"].index("✓")  # each in the column of its exercise
    assert f"· softmax_backward, infinities-clamped: {exercises[1].left_out_habits['infinities-clamped']}" in lines


def fitting_names(exercise: Exercise) -> set[str]:
    return {habit.name for habit in fitting(exercise)}


def names_of_habits() -> list[str]:
    return list(dict.fromkeys(habit.name for library in Library for habit in habits_in(EXERCISES[0].shared_habits(library))))
