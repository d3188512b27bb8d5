"""Tests of the points of a suite in words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.suite.collection import collect
from normgrade.verify.points import points_in_words


def suite(**points: int) -> Any:
    return SimpleNamespace(
        tests=[SimpleNamespace(name=name.replace("__", "[") + "]" * ("__" in name), points=each) for name, each in points.items()]
    )


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (
            {"test_rows__a": 3, "test_rows__b": 4, "test_eps": 5, "test_free": 0, "situation_called": 1, "situation_views": 0},
            "tests 12 (test_rows 7, test_eps 5) and situations 1 (called 1)",
        ),
        ({"test_free": 0}, "tests 0"),
        ({"situation_called": 1}, "situations 1 (called 1)"),
        ({}, "there is no test"),
    ],
)
def test_points_are_told_with_their_parts(points: dict[str, int], says: str) -> None:
    assert points_in_words(suite(**points)) == says


def test_cases_of_a_real_suite_are_summed(tiny: Course) -> None:
    found = collect([tiny.exercise("rms")])["rms"]
    assert points_in_words(found) == "tests 8 (test_call 1, test_rows 4, test_alone 2, test_half_precision 1)"
