"""Tests of Monte Carlo arithmetic: the movement of a number over several plays, and the arithmetic of each library."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_case import U

from normgrade.course.tensor_library import Library
from normgrade.oracle import rounded_array, rounding
from normgrade.oracle.monte_carlo import movement, random_rounding
from normgrade.worker.wire.observation import Array, Foreign, Observation, Reason


def test_place_missing_in_a_play_has_infinite_spread() -> None:
    true, there = Array(np.ones(2), "float64"), Observation({"output": Array(np.full(2, 1.5), "float64")})
    assert movement(true, "output", [there, there]).tolist() == [0.5, 0.5]
    assert movement(true, "output", [there, Observation()]).tolist() == [np.inf, np.inf]
    assert movement(true, "output", [Observation({"output": Array(np.ones(3), "float64")})]).tolist() == [np.inf, np.inf]
    assert movement(true, "output", [Observation({"output": Foreign(Reason.TYPE, "list")})]).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(("library", "kind"), [(Library.NUMPY, rounded_array.RandomRounding), (Library.TORCH, rounding.RandomRounding)])
def test_each_library_has_its_own_arithmetic(library: Library, kind: type) -> None:
    assert isinstance(random_rounding(library, U, seed=0), kind)
