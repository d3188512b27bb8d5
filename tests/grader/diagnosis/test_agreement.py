"""Agreement: numbers within the rounding error of a mistake's numbers, and arithmetic that is off by about as much."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from normgrade.compare.differences import K_HALF, K
from normgrade.diagnosis.agreement import Agreement, Reference, agreement, forecast

U, HALF_U = 2.0**-24, 2.0**-11


def held(
    exact: Sequence[float],
    got: Sequence[float],
    native: Sequence[float] | None = None,
    right: float = 1.0,
    unstable: bool = False,
    half: bool = False,
    moved: float | None = None,
) -> Agreement:
    """Compare one fact of a mistake with `got`; both are given as differences from `right`."""
    count, unit, factor = len(exact), HALF_U if half else U, float(K_HALF if half else K)
    with np.errstate(all="ignore"):
        reference = Reference(np.full(count, right), np.full(count, factor * unit * right), np.full(count, unit), np.full(count, factor))
        mistake = forecast(
            starts=np.array([0]),
            exact=np.array(exact, float),
            native=np.array(exact if native is None else native, float),
            reference=reference,
            unstable=np.array([unstable]),
            moved=None if moved is None else np.array([moved]),
        )
        return agreement(mistake, np.array(got, float), ~(np.abs(got) <= reference.allowed))


@pytest.mark.parametrize(("off", "agrees"), [(0.0, True), (100 * U, True), (400 * U, False), (-1.0, False), (math.nan, False)])
def test_numbers_agree_within_rounding(off: float, agrees: bool) -> None:
    found = held([1.0, 2.0], [1.0, 2.0 + off])
    assert bool(found.agrees[0]) == agrees and found.witnessed[0] == 1 + agrees and found.opened[0] == 0


def test_merely_close_numbers_are_not_recognised() -> None:
    assert not held([1.0, 1e-3], [1.0, 1.1e-3]).agrees[0]


def test_the_tolerance_grows_with_the_rounding_of_the_mistake() -> None:
    assert not held([1.0], [1.0 + 1e-3]).agrees[0]
    assert held([1.0], [1.0 + 1e-3], native=[1.0 + 1e-4]).agrees[0]
    assert held([1.0], [1.0 + 1e-3], moved=1e-4).agrees[0]


@pytest.mark.parametrize("undetermined", [math.nan, math.inf])
def test_an_undetermined_number_agrees_with_any_and_is_open(undetermined: float) -> None:
    found = held([undetermined, 1.0], [7.0, 1.0])
    assert (found.agrees[0], found.witnessed[0], found.opened[0]) == (True, 1, 1)
    told = held([undetermined, 1.0], [math.nan, 1.0])
    assert (told.agrees[0], told.witnessed[0], told.opened[0]) == (True, 2, 0)


def test_a_number_that_may_be_right_is_open() -> None:
    found = held([0.01], [0.0], native=[0.0103])
    assert (found.agrees[0], found.witnessed[0], found.opened[0]) == (True, 0, 1)


@pytest.mark.parametrize(
    ("half", "native", "got", "agrees"),
    [
        (False, 1.0, 0.2, True),  # the same order of magnitude
        (False, 1.0, 0.001, False),  # slightly outside the tolerance
        (False, 1.0, 0.0, False),  # right, although the mistake is far off
        (False, 20 * U * K / 4, 0.5 * U * K, True),  # the mistake itself is slightly outside the tolerance
        (True, 1.0, 0.4, True),
        (True, 1.0, 0.1, False),
        (True, math.inf, math.nan, True),
        (True, math.inf, 0.5, False),
        (False, math.nan, 0.5, True),  # an overflow depends on the order of operations
    ],
)
def test_arithmetic_is_recognised_by_the_size_of_its_error(half: bool, native: float, got: float, agrees: bool) -> None:
    found = held([0.0] * 3, [got] * 3, native=[native] * 3, unstable=True, half=half)
    assert bool(found.agrees[0]) == agrees


def test_empty_arrays_agree() -> None:
    nothing = np.zeros(0)
    mistake = forecast(np.zeros(0, int), nothing, nothing, Reference(nothing, nothing, nothing, nothing), np.zeros(0, bool))
    found = agreement(mistake, nothing, nothing.astype(bool))
    assert [len(each) for each in (found.agrees, found.witnessed, found.opened, found.misfit, mistake.moved)] == [0] * 5
