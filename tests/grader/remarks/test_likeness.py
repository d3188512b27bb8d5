"""The resemblance of a difference to a simple change, told only if it is true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.remarks.likeness import looks_like, not_finite

RANDOM = np.random.default_rng(0)
RIGHT = RANDOM.standard_normal((4, 5, 3))
PER_CHANNEL = np.array([0.5, 0.8, 1.1, 1.7, 2.0]).reshape(1, 5, 1)
PER_ROW = np.array([0.25, 0.5, 2.0, 3.0]).reshape(4, 1, 1)


def likeness(actual: np.ndarray, expected: np.ndarray = RIGHT) -> str | None:
    return looks_like(expected, actual.astype(np.float32), 4e-6 * np.abs(expected) + 1e-9)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (16 / 15, "every value × 16/15, which is n / (n − 1) for n = 16"),
        (15 / 16, "every value × 15/16, which is (n − 1) / n for n = 16"),
        (math.sqrt(16 / 15), "every value × √(16/15), which is √(n / (n − 1)) for n = 16"),
        (math.sqrt(15 / 16), "every value × √(15/16), which is √((n − 1) / n) for n = 16"),
        (64 / 63, "every value × 64/63, which is n / (n − 1) for n = 64"),
        (2.0, "every value × 2"),
        (0.5, "every value × 1/2"),
        (3.0, "every value × 3"),
        (1.07, "every value × 1.07"),
        (-1.0, "every value has the opposite sign"),
        (-2.0, "every value × -2"),
        (1e-3, "every value × 0.001"),
        (1e6, "every value × 1e+06"),
    ],
)
def test_one_factor_is_named_with_its_likely_origin(factor: float, words: str) -> None:
    assert likeness(RIGHT * factor) == words


@pytest.mark.parametrize(("offset", "words"), [(0.25, "every value + 0.25"), (-0.25, "every value − 0.25"), (1000.0, None)])
def test_one_offset_is_named_unless_it_swallows_the_numbers(offset: float, words: str | None) -> None:
    assert likeness(RIGHT + offset) == words


@pytest.mark.parametrize(
    ("actual", "words"),
    [
        (RIGHT * PER_CHANNEL, "one factor per channel: × 0.5 to × 2"),
        (RIGHT + PER_CHANNEL, "one offset per channel: +0.5 to +2"),
        (RIGHT - PER_CHANNEL, "one offset per channel: -2 to -0.5"),
        (RIGHT * PER_ROW, "one factor per sample: × 0.25 to × 3"),
        (RIGHT + PER_ROW, "one offset per sample: +0.25 to +3"),
    ],
)
def test_one_factor_or_offset_each_is_named(actual: np.ndarray, words: str) -> None:
    assert likeness(actual) == words


def test_factors_of_short_rows_are_not_named() -> None:
    expected = RANDOM.standard_normal((4, 2))
    assert likeness(expected * PER_ROW[:, :, 0], expected) is None
    assert likeness(expected[:, :1] * PER_ROW[:, :, 0], expected[:, :1]) is None


def test_swapped_axes_are_named() -> None:
    expected = RANDOM.standard_normal((2, 3, 4, 3))
    assert likeness(expected.swapaxes(1, 3), expected) == "the axes 1 and 3 are swapped"


def test_axes_of_different_sizes_are_never_swapped() -> None:
    expected = RANDOM.standard_normal((3, 4))
    assert likeness(expected.T.reshape(3, 4), expected) is None


def test_nan_is_counted_and_located() -> None:
    actual = RIGHT.copy()
    actual[1, 2, 0] = actual[3, 4, 2] = np.nan
    actual[2, 0, 0] = np.inf
    assert likeness(actual) == "NaN in 2 of 60 values, first at [1, 2, 0]"


def test_nan_that_is_due_is_not_named() -> None:
    expected = RIGHT.copy()
    expected[1] = np.nan
    assert likeness(expected + PER_ROW, expected) is None
    assert likeness(np.where(np.arange(4).reshape(4, 1, 1) < 2, np.nan, RIGHT), expected) == "NaN in 30 of 60 values, first at [0, 0, 0]"


def test_infinity_is_counted_and_located() -> None:
    actual = RIGHT.copy()
    actual[0, 1, 2], actual[2, 0, 0], actual[3, 4, 2] = np.inf, -np.inf, np.nan
    assert likeness(actual) == "Inf in 2 of 60 values, first at [0, 1, 2]"


def test_a_single_nan_is_named() -> None:
    assert likeness(np.array(np.nan), np.array(1.0)) == "NaN in 1 of 1 values, first at []"


def test_constant_row_is_found_beside_extreme_half_precision() -> None:
    """Their distance is no number of float16, and NumPy would warn of it."""
    x, actual = np.array([[60_000, -60_000], [2, 2]], np.float16), np.array([[0.0, 0.0], [np.nan, np.nan]])
    assert not_finite(actual, x) == "NaN in 2 of 4 values, first at [1, 0]: wherever a row of x is constant"


def test_all_zeros_are_named() -> None:
    assert likeness(np.zeros_like(RIGHT)) == "every value is 0"


def test_a_single_zero_is_not_named() -> None:
    assert likeness(np.zeros(()), np.ones(())) is None and likeness(np.zeros(1), np.ones(1)) is None


def test_two_numbers_resemble_nothing() -> None:
    assert likeness(np.array([2.0, 4.0]), np.array([1.0, 2.0])) is None


def test_one_number_beside_zeros_has_no_factor() -> None:
    assert likeness(np.array([2.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])) is None
    assert likeness(np.array([2.0, 0.0, 4.0, -6.0]), np.array([1.0, 0.0, 2.0, -3.0])) == "every value × 2"


def test_numbers_barely_off_have_no_factor() -> None:
    permitted = np.full(RIGHT.shape, 1e-6)
    actual = RIGHT.copy()
    actual[0, 0, 0] += 1.5e-6
    assert looks_like(RIGHT, actual, permitted) is None


@pytest.mark.parametrize("model", [RIGHT * 3, RIGHT + 0.25, RIGHT * PER_CHANNEL, RIGHT + PER_ROW])
def test_words_must_fit_within_the_tolerance(model: np.ndarray) -> None:
    permitted = np.full(RIGHT.shape, 1e-4)
    off = np.where(np.arange(RIGHT.size).reshape(RIGHT.shape) % 2, 1e-3, -1e-3)
    assert looks_like(RIGHT, model, permitted) is not None and looks_like(RIGHT, model + off, permitted) is None


def test_whole_numbers_and_truth_values_resemble_nothing() -> None:
    assert looks_like(np.array([1, 2, 3]), np.array([2, 4, 6]), np.zeros(3)) is None
    assert looks_like(np.array([True, False, True]), np.array([False] * 3), np.zeros(3)) is None


@pytest.mark.parametrize("seed", range(5))
def test_random_numbers_look_like_nothing_in_particular(seed: int) -> None:
    assert likeness(np.random.default_rng(seed).standard_normal(RIGHT.shape)) is None


def test_one_wrong_number_resembles_nothing() -> None:
    actual = RIGHT.copy()
    actual[2, 2, 2] += 1
    assert likeness(actual) is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (np.zeros(4), np.array([1.0, 2.0, 3.0, 4.0])),  # no factor leads from zero to another number
        (np.ones(4), np.array([1e-30, -1e-30, 1e-30, -1e-30])),  # a factor of exactly 0
        (np.full(4, 1e-5), np.full(4, 1e195)),  # a factor whose square overflows
        (np.full(4, 1e300), np.array([1.0, 2.0, 3.0, 4.0])),  # sums that overflow
        (np.array([-1e308, 1e308, 1.0]), np.array([1e308, -1e308, 1.0])),
    ],
)
def test_extreme_numbers_raise_no_error(expected: np.ndarray, actual: np.ndarray) -> None:
    words = looks_like(expected, actual, np.full(expected.shape, 1e-7))
    assert words is None or words.startswith(("every value × ", "values in another order"))


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=8), st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_arbitrary_numbers_raise_no_error(numbers: list[float], data: st.DataObject) -> None:
    size = len(numbers)
    expected = np.array(data.draw(st.lists(st.floats(-1e30, 1e30), min_size=size, max_size=size)))
    words = looks_like(expected, np.array(numbers), 1e-6 * np.abs(expected))
    assert words is None or words.split()[0] in ("every", "one", "the", "values", "NaN", "Inf")
