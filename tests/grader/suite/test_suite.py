"""Tests of a suite as data: a glob chooses some of its checks."""

from __future__ import annotations

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.suite.collection import collect


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("", ["test_call", "test_rows[shape0]", "test_rows[shape1]", "test_alone", "test_half_precision"]),
        ("test_rows", ["test_rows[shape0]", "test_rows[shape1]"]),
        ("test_rows[shape1]", ["test_rows[shape1]"]),
        ("*al*", ["test_call", "test_alone", "test_half_precision"]),
    ],
)
def test_glob_chooses_some_checks(pattern: str, names: list[str], tiny: Course) -> None:
    assert [*collect([tiny.exercise("rms")])["rms"].only(pattern).names] == names


def test_a_glob_that_chooses_nothing_is_an_error(tiny: Course) -> None:
    with pytest.raises(UsageError) as caught:
        collect([tiny.exercise("rms")])["rms"].only("test_row")
    assert str(caught.value) == (
        'No check of rms is named "test_row". Did you mean "test_rows"? There is test_call, test_rows, test_alone, test_half_precision.'
    )
