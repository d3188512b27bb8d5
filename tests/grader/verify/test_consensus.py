"""Tests of the agreement of alternatives with each other against the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.language.places import Place
from normgrade.report.report import ArrayDifference, Check, Kind, Numbers, Outcome
from normgrade.verify.consensus import agree_against_the_reference


def rejected(actual: float, place: str = "result", check: str = "test_x") -> list[Result]:
    """Return the results of an answer that has this wrong number at one place."""
    numbers = Numbers(np.array([1.0]), np.array([actual]), np.array([1e-6]))
    difference = ArrayDifference(
        place=Place(place),
        dtype="float32",
        shape=(1,),
        mismatched=1,
        total=1,
        max_abs=1.0,
        max_rel=1.0,
        allowed=1e-6,
        at=(0,),
        expected=1.0,
        actual=actual,
        numbers=numbers,
    )
    return [Result(Check(check, "It holds.", Kind.FORMULA, Outcome.FAILED, 1, differences=(difference,)), ())]


def agree(tmp_path: Path, tiny: Course, *answers: list[Result], alternatives: int | None = None) -> bool:
    exercise = tiny.exercise("rms")
    paths = [exercise.alternatives[0].with_name(f"{number}.py") for number in range(len(answers))]

    class Exercise:
        """An exercise with one alternative for each answer."""

        alternatives = paths

    return agree_against_the_reference(Exercise(), dict(zip(paths[:alternatives], answers, strict=False)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("others", "alike"),
    [
        ([rejected(2.0)], True),
        ([rejected(2.0 + 1e-6)], True),
        ([rejected(2.0), rejected(2.0)], True),
        ([rejected(2.1)], False),
        ([rejected(2.0), rejected(2.1)], False),
        ([rejected(2.0, place="weight")], False),
        ([rejected(2.0, check="test_y")], False),
        ([], False),  # a single alternative may be as wrong as the reference
    ],
)
def test_alternatives_that_give_the_same_numbers_agree(others: list[list[Result]], alike: bool, tmp_path: Path, tiny: Course) -> None:
    assert agree(tmp_path, tiny, rejected(2.0), *others) is alike


def test_alternatives_do_not_agree_if_one_passes(tmp_path: Path, tiny: Course) -> None:
    assert not agree(tmp_path, tiny, rejected(2.0), rejected(2.0), [], alternatives=2)
