"""Tests of expected values and the size limit of an answer."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.wire.observation import Array, Value
from normgrade.worker.wire.requests import OwnProbe


@pytest.mark.parametrize(
    ("values", "size_bytes"),
    [
        ([], 4096),
        ([1, None, "x" * 9999], 4096),
        ([Array(np.zeros(100), "float64")], 4096 + 1600),
        ([Array(np.zeros(2), "float64"), Array(np.zeros((10, 10)), "float64"), 1], 4096 + 1600),
    ],
)
def test_size_limit_is_twice_the_largest_expected_value(values: list[Value], size_bytes: int) -> None:
    places = {Place(str(number)): Expected(value) for number, value in enumerate(values)}
    assert Expectation(OwnProbe("p"), places).size_bytes == size_bytes


def test_expected_value_is_certain_by_default() -> None:
    expected = Expected(1)
    assert (expected.dtype, expected.spread, expected.slack, expected.error) == (None, None, None, 0.0)
