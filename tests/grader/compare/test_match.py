"""Matching: whether an observation is what a mistake leads to, exactly or at a glance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from normgrade.compare.differences import allowed
from normgrade.compare.match import agrees, near, same_numbers, undetermined
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.observation import Array, Cause, Error, Observation, Value
from normgrade.worker.requests import LayerStory

U = 2.0**-24
RAISED = Error(Cause.RAISED, "no", ("ValueError", "Exception", "BaseException"), step="step 2")
FLOATS = st.floats(-1e6, 1e6, width=32)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, max_side=4)


def expect(values: Any, dtype: str = "float32", spread: Any = 0.0) -> Expected:
    """Numbers that are expected, as far as a float32 play determines them."""
    right = np.asarray(values, dtype=np.float64)
    return Expected(Array(right, "float64"), dtype, np.broadcast_to(spread, right.shape))


def array(values: Any, dtype: str = "float32") -> Array:
    """Numbers that came."""
    return Array(np.asarray(values, dtype=dtype), dtype)


def expectation(places: Mapping[str, Expected], error: Error | None = None) -> Expectation:
    return Expectation(LayerStory("Layer"), {Place.of(place): expected for place, expected in places.items()}, error)


def explained(observation: Observation, mistaken: Expectation, native: Observation | None = None) -> bool:
    return agrees(observation, mistaken, native or Observation())


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (None, None, True),
        (RAISED, None, False),
        (None, RAISED, False),
        (RAISED, Error(Cause.RAISED, "other words", ("ValueError",), step="step 2"), True),
        (RAISED, Error(Cause.RAISED, "no", ("TypeError", "Exception"), step="step 2"), False),
        (RAISED, Error(Cause.RAISED, "no", RAISED.types, step="step 1"), False),
    ],
)
def test_errors_agree_in_type_and_step(ours: Error | None, theirs: Error | None, same: bool) -> None:
    assert explained(Observation(error=ours), expectation({}, theirs)) == same
    assert near(Observation(error=ours), Observation(error=theirs), expectation({})) == same


def test_a_mistake_is_recognised_in_another_shape_but_not_in_another_size_or_dtype() -> None:
    mistaken = expectation({"weight": expect([1.0, 2.0])})
    assert explained(Observation({"weight": array([[1.0], [2.0]])}), mistaken)
    assert not explained(Observation({"weight": array([1.0, 2.0, 3.0])}), mistaken)
    assert not explained(Observation({"weight": array([1.0, 2.0], "float64")}), mistaken)
    assert not explained(Observation({"weight": None}), mistaken) and not explained(Observation(), mistaken)


def test_what_a_mistake_leaves_undetermined_agrees_with_anything_and_is_counted() -> None:
    loose = Expected(Array(np.array([np.nan, 1.0, 2.0]), "float64"), "float32", np.array([np.nan, np.inf, 0.0]))
    mistaken = expectation({"output": loose, "bias": expect([1.0]), "fact": Expected(True)})
    rest: dict[str, Value] = {"bias": array([1.0]), "fact": True}
    assert explained(Observation({"output": array([5.0, 7.0, 2.0]), **rest}), mistaken)
    assert not explained(Observation({"output": array([5.0, 7.0, 3.0]), **rest}), mistaken)
    assert undetermined(mistaken) == 2


def test_a_native_play_of_the_mistake_agrees_with_itself() -> None:
    seen = Observation({"output": array([np.nan, np.inf, 7.0])})
    mistaken = expectation({"output": expect([1.0, 2.0, 3.0])})
    assert explained(seen, mistaken, seen) and not explained(seen, mistaken)


def test_names_are_no_part_of_a_mistake_and_facts_are() -> None:
    mistaken = expectation({"key of weight": Expected("weight"), "input left alone": Expected(False)})
    assert explained(Observation({"key of weight": "gamma", "input left alone": False}), mistaken)
    assert not explained(Observation({"key of weight": None, "input left alone": False}), mistaken)
    assert not explained(Observation({"key of weight": "gamma", "input left alone": 0}), mistaken)


def test_at_a_glance_only_what_is_far_is_ruled_out() -> None:
    right, glimpse = expectation({"output": expect([1.0, 2.0])}), Observation({"output": Array(np.array([5.0, 6.0]), "float64")})
    assert near(Observation({"output": array([[5.001], [6.0]])}), glimpse, right)
    assert not near(Observation({"output": array([5.1, 6.0])}), glimpse, right)
    assert not near(Observation({"output": array([5.0, 6.0, 7.0])}), glimpse, right)
    assert not near(Observation(), glimpse, right)


def test_an_implementation_that_is_right_has_the_numbers_of_the_reference() -> None:
    right = expectation({"output": expect([1.0, 2.0]), "fact": Expected(True)})
    exact = Observation({"output": Array(np.array([1.0, 2.0 + U]), "float64"), "fact": True})
    assert same_numbers(exact, Observation({"output": array([1.5, 2.0])}), right)


@pytest.mark.parametrize(
    ("exact", "native"),
    [
        (Observation({"output": array([1.0, 2.1], "float64"), "fact": True}), array([1.0, 2.0])),
        (Observation({"output": array([1.0, math.nan], "float64"), "fact": True}), array([1.0, 2.0])),
        (Observation({"output": array([[1.0, 2.0]], "float64"), "fact": True}), array([1.0, 2.0])),
        (Observation({"output": None, "fact": True}), array([1.0, 2.0])),
        (Observation({"output": array([1.0, 2.0], "float64"), "fact": False}), array([1.0, 2.0])),
        (Observation({"output": array([1.0, 2.0], "float64")}), array([1.0, 2.0])),
        (Observation({"output": array([1.0, 2.0], "float64"), "fact": True}, RAISED), array([1.0, 2.0])),
        (Observation({"output": array([1.0, 2.0], "float64"), "fact": True}), array([1.0, 2.0], "float16")),
        (Observation({"output": array([1.0, 2.0], "float64"), "fact": True}), None),
    ],
)
def test_an_implementation_that_is_wrong_has_others(exact: Observation, native: Value) -> None:
    assert not same_numbers(exact, Observation({"output": native}), expectation({"output": expect([1.0, 2.0]), "fact": Expected(True)}))


# Any numbers


@given(arrays.arrays(np.float32, SHAPES, elements=FLOATS))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_numbers_match_themselves(values: np.ndarray) -> None:
    observation = Observation({"output": Array(values, "float32")})
    expected = expectation({"output": expect(values)})
    exact = Observation({"output": Array(values.astype(np.float64), "float64")})
    assert (
        agrees(observation, expected, Observation()) and near(observation, exact, expected) and same_numbers(exact, observation, expected)
    )


@given(arrays.arrays(np.float64, SHAPES, elements=FLOATS), st.floats(0, 1), st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_one_number_beyond_what_is_allowed_matches_no_more(values: np.ndarray, spread: float, data: st.DataObject) -> None:
    expected = expect(values, "float64", spread)
    at = tuple(data.draw(st.integers(0, size - 1)) for size in values.shape)
    moved = values.copy()
    moved[at] += data.draw(st.sampled_from([-1, 1])) * allowed(expected)[at] * 1.01
    seen = Observation({"output": Array(moved, "float64")})
    assert not explained(seen, expectation({"output": expected}))
    assert not same_numbers(seen, seen, expectation({"output": expected}))
