"""Numbers side by side: their selection and their notation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_reports import VARIANCE, differing

from normgrade.compare.differences import difference as compare
from normgrade.language.places import Place
from normgrade.oracle.expected import Expected
from normgrade.report.render.numbers import as_pair, sides
from normgrade.report.render.wording import difference_in_words
from normgrade.report.report import ArrayDifference, Numbers
from normgrade.worker.wire.observation import Array


def test_the_three_worst_numbers_are_shown_worst_first() -> None:
    actual = np.zeros((5, 6))
    for number, index in enumerate([(0, 1), (4, 5), (2, 0), (3, 3), (1, 1), (2, 2), (0, 0)], 1):
        actual[index] = number
    rows = sides(differing(np.ones((5, 6)) * 0, actual, 0.5))
    assert [row.index for row in rows] == [(0, 0), (2, 2), (1, 1)]
    assert [row.worst for row in rows] == [True, False, False]


def test_the_worst_number_exceeds_its_tolerance_the_most() -> None:
    [row] = [row for row in sides(differing([1.0, 1.0], [1.5, 1.1], [0.4, 0.001])) if row.worst]
    assert row.index == (1,)


def test_a_single_number_has_no_index() -> None:
    one = differing(1.0, 2.0, 0.1)
    assert [row.index for row in sides(one)] == [()]
    assert difference_in_words(one) == "the number differs, off by 1 (relative 100 %), allowed 0.1"


def test_an_expected_nan_is_no_error() -> None:
    one = replace(VARIANCE, at=(1,), numbers=Numbers(np.array([np.nan, 1.0, np.inf]), np.array([np.nan, np.nan, np.inf]), np.full(3, 0.1)))
    assert [(row.error, row.differs) for row in sides(one)] == [(0, False), (float("inf"), True), (0, False)]


def test_counts_and_truths_are_written_as_they_are() -> None:
    one = replace(VARIANCE, at=(0,), numbers=Numbers(np.array([3, 4]), np.array([5, 4]), np.zeros(2)))
    assert [(row.expected, row.actual, row.differs) for row in sides(one)] == [(3, 5, True), (4, 4, False)]
    assert as_pair(True, False) == ("True", "False")


def test_compare_and_the_table_agree() -> None:
    right, got = np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([[1.0, np.nan], [3.1, 0.0]], dtype=np.float32)
    found = compare(Place("output"), Array(got, "float32"), Expected(Array(right, "float64"), "float32", np.full((2, 2), 1e-8)))
    assert isinstance(found, ArrayDifference)
    assert [row.index for row in sides(found) if row.differs] == [(0, 1), (1, 0)]
    assert [row.index for row in sides(found) if row.worst] == [found.at]


@pytest.mark.parametrize(
    "expected, actual, shown",
    [
        (1.0677, 1.001, ("1.0677", "1.001")),
        (1.00000001, 1.00000002, ("1.00000001", "1.00000002")),
        (1.0, float("nan"), ("1", "nan")),
        (3, 3.0, ("3", "3.0")),
        (None, 0, ("None", "0")),
    ],
)
def test_two_different_values_never_look_alike(expected: object, actual: object, shown: tuple[str, str]) -> None:
    assert as_pair(expected, actual) == shown
