"""The differences: their numbers, size and place, and the tolerance at each place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from normgrade.compare.differences import (
    K_HALF,
    SMALLEST_SUBNORMAL,
    K,
    allowed,
    difference,
    differences,
    unsound,
)
from normgrade.language.places import Absent, Place
from normgrade.oracle.expected import UNIT_ROUNDOFF, Expectation, Expected
from normgrade.report.report import ArrayDifference, ValueDifference
from normgrade.worker.wire.observation import Array, Cause, Error, Foreign, Observation, Reason, Value
from normgrade.worker.wire.requests import LayerStory

U = 2.0**-24
REQUEST = LayerStory("Layer")
RAISED = Error(Cause.RAISED, "no", ("ValueError", "Exception", "BaseException"), step=2)
FLOATS = st.floats(-1e6, 1e6, width=32)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, max_side=4)


def expect(values: Any, dtype: str = "float32", spread: Any = 0.0, slack: Any = None) -> Expected:
    """Return expected numbers, with the spread and the slack of a float32 play."""
    right = np.asarray(values, dtype=np.float64)
    moved = None if slack is None else np.broadcast_to(slack, right.shape)
    return Expected(Array(right, "float64"), dtype, np.broadcast_to(spread, right.shape), moved)


def array(values: Any, dtype: str = "float32") -> Array:
    """Return observed numbers."""
    return Array(np.asarray(values, dtype="float32" if dtype == "bfloat16" else dtype), dtype)


def compare(actual: Value, expected: Expected) -> ArrayDifference:
    """Return the difference of two arrays of the same shape and dtype."""
    found = difference(Place("output"), actual, expected)
    assert isinstance(found, ArrayDifference)
    return found


def compare_values(actual: Value, expected: Expected) -> ValueDifference:
    """Return the difference of any other values."""
    found = difference(Place("output"), actual, expected)
    assert isinstance(found, ValueDifference)
    return found


def expectation(places: Mapping[str, Expected], error: Error | None = None) -> Expectation:
    return Expectation(REQUEST, {Place.of(place): expected for place, expected in places.items()}, error)


# Numbers


def test_equal_numbers_are_no_difference() -> None:
    assert difference(Place("output"), array([1, 2.5, -3]), expect([1, 2.5, -3])) is None


def test_a_difference_has_place_count_and_size() -> None:
    right = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    found = compare(array([[1.0, 2.5, 4.0], [8.0, 16.0, 33.0]]), expect(right))
    assert (found.place, found.dtype, found.shape, found.mismatched, found.total) == ("output", "float32", (2, 3), 2, 6)
    assert (found.max_abs, found.max_rel) == (1.0, 0.25)
    assert (found.at, found.expected, found.actual) == ((0, 1), 2.0, 2.5)
    assert found.allowed == K * (U * 2.0 + 2.0**-149)


def test_the_worst_place_exceeds_its_tolerance_the_most() -> None:
    found = compare(array([100.0, 1.001, 5.0]), expect([99.0, 1.0, 5.0], spread=[1e-2, 1e-9, 1e-9]))
    assert (found.at, found.max_abs) == ((1,), 1.0)


def test_a_right_number_is_never_the_worst() -> None:
    found = compare(array([1.0, 0.0, 3.0]), expect([1.0, 2.0, 3.0]))
    assert (found.at, found.mismatched) == ((1,), 1)


def test_both_sides_are_kept_in_full() -> None:
    found = compare(array([1.0, 9.0]), expect([1.0, 2.0]))
    assert found.numbers.expected.tolist() == [1.0, 2.0] and found.numbers.actual.tolist() == [1.0, 9.0]
    assert found.numbers.allowed.tolist() == [K * (U + 2.0**-149), K * (2 * U + 2.0**-149)]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_the_worst(wrong: float) -> None:
    found = compare(array([1.0, 1e30, wrong, 4.0]), expect([1.0, 2.0, 3.0, 4.0]))
    assert (found.at, found.max_abs, found.max_rel, found.mismatched) == ((2,), math.inf, math.inf, 2)
    assert isinstance(found.actual, float) and found.actual == pytest.approx(wrong, nan_ok=True)


@pytest.mark.parametrize("spread", [0.0, math.inf, math.nan])
def test_a_finite_number_is_wrong_if_infinity_is_expected(spread: float) -> None:
    expected = expectation({"output": expect([1.0, math.inf], spread=spread)})
    (found,) = differences(Observation({Place("output"): array([1.0, 7.0])}), expected)
    assert isinstance(found, ArrayDifference) and found.mismatched == 1
    assert differences(Observation({Place("output"): array([1.0, math.inf])}), expected) == ()


def test_one_number_without_dimensions_is_compared() -> None:
    assert difference(Place("output"), array(2.0), expect(2.0)) is None
    found = compare(array(2.5), expect(2.0))
    assert (found.shape, found.at, found.expected, found.actual, found.max_abs, found.max_rel) == ((), (), 2.0, 2.5, 0.5, 0.25)


def test_empty_arrays_agree() -> None:
    assert difference(Place("output"), array(np.zeros((0, 3))), expect(np.zeros((0, 3)))) is None


def test_a_wrong_number_instead_of_zero_is_infinitely_wrong() -> None:
    assert compare(array([0.0, 1.0]), expect([0.0, 0.0])).max_rel == math.inf


@pytest.mark.parametrize("dtype", ["int64", "uint8"])
def test_whole_numbers_must_agree_exactly(dtype: str) -> None:
    expected = Expected(Array(np.array([3, 200]), "int64"), dtype)
    assert difference(Place("count"), array([3, 200], dtype), expected) is None
    found = compare(array([3, 199], dtype), expected)
    assert (found.at, found.expected, found.actual, found.allowed, found.max_abs) == ((1,), 200, 199, 0.0, 1.0)
    assert found.looks_like is None


def test_truth_values_must_agree_exactly() -> None:
    expected = Expected(Array(np.array([True, False]), "bool"), "bool")
    assert difference(Place("mask"), array([True, False], "bool"), expected) is None
    found = compare(array([True, True], "bool"), expected)
    assert (found.at, found.expected, found.actual, found.mismatched) == ((1,), False, True, 1)


# The tolerance


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_tolerance_follows_spread_size_and_smallest_number(dtype: str) -> None:
    found = allowed(expect([0.0, -2.0], dtype, spread=[0.0, 1e-6]))
    tiny = SMALLEST_SUBNORMAL["float32"]  # float64 needs only the accuracy of float32
    assert found.tolist() == [K * tiny, K * (1e-6 + U * 2.0 + tiny)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_may_round_numbers_and_state(dtype: str) -> None:
    found = allowed(expect([2.0], dtype, spread=1e-6, slack=1e-3))
    single = K * (1e-6 + U * 2.0 + SMALLEST_SUBNORMAL[dtype])
    assert found.tolist() == [single + K_HALF * (UNIT_ROUNDOFF[dtype] * 2.0 + 1e-3)]
    assert (allowed(expect([2.0], dtype, spread=1e-6)) < found).all()


def test_half_precision_may_round_only_once() -> None:
    expected = expect([1.0], "bfloat16", slack=0.0)
    assert difference(Place("output"), array([1 + 2.0**-7], "bfloat16"), expected) is None
    assert difference(Place("output"), array([1 + 2.0**-5], "bfloat16"), expected) is not None


def test_an_estimate_may_be_five_standard_errors_off() -> None:
    expected = Expected(Array(np.asarray(0.5), "float64"), "float64", np.asarray(0.0), error=0.01)
    near, far = (Array(np.asarray(0.5 + errors * 0.01 * 2**0.5), "float64") for errors in (4.99, 5.01))
    assert difference(Place("spread"), near, expected) is None
    assert difference(Place("spread"), far, expected) is not None


def test_subnormal_numbers_may_be_a_few_steps_off() -> None:
    step = 2.0**-149
    assert difference(Place("output"), array([3 * step]), expect([0.0])) is None
    assert difference(Place("output"), array([(K + 1) * step]), expect([0.0])) is not None


def test_whole_numbers_have_no_tolerance() -> None:
    assert allowed(Expected(Array(np.array([5]), "int64"), "int64")).tolist() == [0.0]


@given(arrays.arrays(np.float32, SHAPES, elements=FLOATS))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_numbers_agree_with_themselves(values: np.ndarray) -> None:
    assert differences(Observation({"output": Array(values, "float32")}), expectation({"output": expect(values)})) == ()


@given(arrays.arrays(np.float64, SHAPES, elements=FLOATS), st.floats(0, 1), st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_one_number_beyond_the_tolerance_is_found(values: np.ndarray, spread: float, data: st.DataObject) -> None:
    expected = expect(values, "float64", spread)
    at = tuple(data.draw(st.integers(0, size - 1)) for size in values.shape)
    sign = data.draw(st.sampled_from([-1, 1]))
    moved = values.copy()
    moved[at] += sign * allowed(expected)[at] * 1.01
    found = compare(Array(moved, "float64"), expected)
    assert (found.at, found.mismatched, found.actual) == (at, 1, moved[at])


@given(arrays.arrays(np.float64, SHAPES, elements=FLOATS), st.floats(1e-9, 1), st.data())
@settings(max_examples=50, deadline=None, derandomize=True)
def test_all_numbers_within_the_tolerance_are_accepted(values: np.ndarray, spread: float, data: st.DataObject) -> None:
    expected = expect(values, "float64", spread)
    share = data.draw(arrays.arrays(np.float64, values.shape, elements=st.floats(-0.99, 0.99)))
    assert difference(Place("output"), Array(values + share * allowed(expected), "float64"), expected) is None


# Other kinds


@pytest.mark.parametrize(
    ("actual", "words"),
    [
        (array([[1.0, 2.0]]), "a float32 tensor of shape (1, 2)"),
        (array([1.0, 2.0], "float64"), "a float64 tensor of shape (2,)"),
        (array([1, 2], "int64"), "a int64 tensor of shape (2,)"),
        (Foreign(Reason.TYPE, "list"), "a list"),
        (Foreign(Reason.SIZE, "Tensor", "float32", (2,), "torch.strided", "cpu"), "a float32 tensor of shape (2,), too large to inspect"),
        (Absent("weight", ("gamma", "beta")), "no weight; the layer has gamma, beta"),
        (None, None),
        (1.0, 1.0),
        ("nothing", "nothing"),
    ],
)
def test_another_kind_of_value_is_described(actual: Value, words: object) -> None:
    found = compare_values(actual, expect([1.0, 2.0]))
    assert (found.place, found.dtype, found.shape) == ("output", "float32", (2,))
    assert (found.expected, found.actual, found.looks_like) == ("a float32 tensor of shape (2,)", words, None)


@pytest.mark.parametrize("value", [True, False, 0, 1, 0.5, "text", None])
def test_scalars_agree_with_themselves(value: Value) -> None:
    assert difference(Place("fact"), value, Expected(value)) is None


@pytest.mark.parametrize(("value", "actual"), [(True, 1), (1, True), (1, 1.0), (0, False), (0, None), ("a", "b"), (None, "None"), (2, 3)])
def test_scalars_of_another_value_or_type_differ(value: Value, actual: Value) -> None:
    found = compare_values(actual, Expected(value))
    assert found.shape is None
    assert (found.expected, found.actual) == (value, actual) and type(found.actual) is type(actual)


def test_an_array_instead_of_a_scalar_differs() -> None:
    found = compare_values(array(1.0), Expected(1.0))
    assert (found.expected, found.actual) == (1.0, "a float32 tensor of shape ()")


# Whole observations


def test_differences_come_in_the_order_of_the_story() -> None:
    expected = expectation({"step 1 · output": expect([1.0]), "step 1 · bias": expect([2.0]), "step 2 · output": expect([3.0])})
    seen = Observation({"step 2 · output": array([0.0]), "step 1 · bias": array([2.0]), "step 1 · output": array([0.0])})
    assert [found.place for found in differences(seen, expected)] == ["step 1 · output", "step 2 · output"]


def test_a_place_that_is_missing_is_a_difference() -> None:
    [found] = differences(Observation(), expectation({"output": expect([1.0])}))
    assert (found.expected, found.actual) == ("a float32 tensor of shape (1,)", "nothing")


def test_places_after_an_error_are_no_difference() -> None:
    expected = expectation({"step 1 · output": expect([1.0]), "step 2 · output": expect([1.0])})
    seen = Observation({"step 1 · output": array([2.0])}, RAISED)
    assert [found.place for found in differences(seen, expected)] == ["step 1 · output"]


def test_extra_places_are_ignored() -> None:
    assert differences(Observation({"output": array([1.0]), "extra": 3}), expectation({"output": expect([1.0])})) == ()


# Unusable expectations


def test_a_finite_expectation_is_sound() -> None:
    count = Expected(Array(np.array([3]), "int64"), "int64")
    assert unsound(expectation({"output": expect([1.0, 0.0]), "count": count, "fact": Expected(None)})) is None


NOT_FINITE = (
    "the reference gives NaN or infinity at output, so results cannot be compared with it: "
    "play it on an input for which it is finite, or spoil less than half of an input's numbers if NaN is intended"
)
NOT_STABLE = (
    "the reference is not finite at output if every operation is rounded, so results cannot be compared with it: "
    "make the reference more stable, or play it on a less extreme input"
)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (expect([1.0, math.nan]), NOT_FINITE),
        (expect([math.inf, 1.0]), NOT_FINITE),
        (expect([1.0], spread=math.inf), NOT_STABLE),
        (expect([1.0], spread=math.nan), NOT_STABLE),
    ],
)
def test_an_infinite_expectation_is_the_suites_fault(place: Expected, says: str) -> None:
    assert unsound(expectation({"first": expect([1.0]), "output": place})) == says


def test_infinite_slack_is_the_suites_fault() -> None:
    assert unsound(expectation({"output": expect([1.0], "float16", slack=math.inf)})) is not None


def test_a_reference_without_numbers_is_the_suites_fault() -> None:
    assert unsound(expectation({"output": Expected(Foreign(Reason.TYPE, "list"))})) == (
        "the reference returns a list at output, which cannot be compared: "
        "return tensors, NumPy arrays, numbers, bools, texts or None, each at its own place"
    )


def test_the_largest_error_is_that_of_a_wrong_number() -> None:
    """Make the error of the second number the larger one, within its tolerance."""
    wide = Expected(Array(np.array([1.0, 1e6]), "float64"), "float32", np.array([0.0, 1.0]))
    [found] = differences(Observation({"output": array([1.5, 1e6 + 10])}), expectation({"output": wide}))
    assert isinstance(found, ArrayDifference)
    assert (found.mismatched, found.max_abs, found.max_rel) == (1, 0.5, 0.5)


def test_the_tolerance_is_computed_once() -> None:
    expected = expect([1.0, 2.0])
    limit = allowed(expected)
    assert allowed(expected) is limit
    with pytest.raises(ValueError, match="read-only"):
        limit[0] = 9.0
