"""Values are the same if their distinct numbers are, in any shape, within the tolerance of the dtype."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.diagnosis.steps.same_values import EXACT, NARROW, Groups, collapsed, distinct, same, tolerance_of
from normgrade.worker.wire.observation import Record


def record(dtype: str, *values: float) -> Record:
    return Record(0, 0, dtype, np.array(values))


@pytest.mark.parametrize(
    ("dtypes", "tolerance"),
    [(["float64"], EXACT), (["float64", "float32"], NARROW), (["float64", "float16"], None), (["bfloat16"], None), ([], EXACT)],
)
def test_the_narrowest_dtype_sets_the_tolerance(dtypes: list[str], tolerance: float | None) -> None:
    assert tolerance_of([record(dtype) for dtype in dtypes]) == tolerance


def test_distinct_numbers_are_sorted() -> None:
    found = distinct(np.array([[3.0, 1.0], [1.0 + 1e-12, 3.0]]), EXACT)
    assert found is not None and found.tolist() == [1.0, 3.0]
    assert distinct(np.array([1.0, np.nan]), EXACT) is None


def test_arrays_of_equal_size_are_compared_by_number() -> None:
    assert same(np.ones((2, 3)), np.ones(6) + 1e-10, EXACT) and not same(np.ones(6), np.ones(6) + 1e-6, EXACT)
    assert not same(np.ones(2), np.ones(3), EXACT)
    assert same(np.array([np.nan, 1]), np.array([np.nan, 1]), EXACT) and not same(np.array([np.nan, 1]), np.array([1, np.nan]), EXACT)


def test_same_values_are_in_one_group() -> None:
    groups = Groups(EXACT)
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    first = groups.add(distinct(values, EXACT))
    assert groups.add(distinct(values.T[:, None].repeat(3, 1), EXACT)) == first
    assert groups.add(distinct(values + 1, EXACT)) != first and groups.count == 2
    assert groups.find(distinct(values * 2, EXACT)) is None and groups.add(None) is None
    assert groups.found_in([record("float64", 1, 2, 3, 4), record("float64", 9)]) == {first}


def test_a_constant_axis_is_collapsed() -> None:
    mean = np.array([[1.0], [2.0]])
    assert collapsed(np.broadcast_to(mean, (2, 5))).tolist() == mean.tolist()
    assert collapsed(np.arange(6.0).reshape(2, 3)).shape == (2, 3)
    assert collapsed(np.array(1.0)).shape == ()
