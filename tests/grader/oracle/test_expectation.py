"""Tests of expectations: right numbers in float64, and how well they are determined in float32."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracle_case import FUNCTIONS, KEY, MINE, NORM, U, X, asked, called, numbers, spread

from normgrade.compare.differences import allowed, differences, unsound
from normgrade.course.tensor_library import Library
from normgrade.language.places import Place, gradient_of
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import with_spread_of
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.oracle import Oracle
from normgrade.suite.story import Story, build, call, evaluate, forward_backward, probe, request, train
from normgrade.worker.wire.observation import Array, Cause
from normgrade.worker.wire.requests import LayerStory

# The numbers


def test_numbers_are_those_of_float64_on_the_exact_input(oracle: Oracle) -> None:
    place = called(oracle, "mean")
    assert numbers(place.value).dtype == np.float64 and place.dtype == "float32"
    np.testing.assert_allclose(numbers(place.value), X.astype(np.float64).mean(-1), rtol=1e-15)


def test_layer_is_played_with_state_and_gradients(oracle: Oracle) -> None:
    expectation = oracle.expectation(NORM, asked(build(8), train(X)))
    story = expectation.request
    assert isinstance(story, LayerStory)
    x, weight = X.astype(np.float64), story.state["weight"].values.astype(np.float64)
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(numbers(expectation.places[Place("output", step=1)].value), y * weight, rtol=1e-12)
    gradient = (numbers(story.inputs["steps"][0]["upstream"]).astype(np.float64) * y).sum(0)
    np.testing.assert_allclose(numbers(expectation.places[gradient_of("{name}", step=1, name="weight")].value), gradient, rtol=1e-12)
    assert expectation.error is None and unsound(expectation) is None


def test_expected_dtype_is_that_of_a_native_play(oracle: Oracle) -> None:
    places = oracle.expectation(NORM, asked(build(8).to("float16"), train(X, dtype="float16"))).places
    assert {name: place.dtype for name, place in places.items()} == {
        "step 1 · output": "float16", "step 1 · input left alone": "float16", "step 1 · weight": "float16",
    }  # fmt: skip
    assert numbers(places[Place("output", step=1)].value).dtype == np.float64


def test_a_native_play_of_the_reference_agrees_with_it(oracle: Oracle) -> None:
    for dtype in ("float32", "float16", "bfloat16"):
        expectation = oracle.expectation(NORM, asked(build(8).to(dtype), train(X * 3 + 1, dtype=dtype), evaluate(X, dtype=dtype)))
        seen = oracle.natively(NORM, expectation.request)
        assert differences(seen, expectation) == ()


@pytest.mark.parametrize(("function", "value"), [("rank", 2), ("nothing", None), ("dtype", "torch.float64")])
def test_other_values_are_expected_as_they_are(oracle: Oracle, function: str, value: object) -> None:
    place = called(oracle, function)
    assert (place.value, place.dtype, place.spread) == (value, None, None)


def test_truth_values_are_expected_without_a_spread(oracle: Oracle) -> None:
    place = called(oracle, "positive")
    assert (place.dtype, place.spread) == ("bool", None) and (numbers(place.value) == (X > 0)).all()


def test_a_probe_of_the_exercise_is_played(tmp_path: Path) -> None:
    oracle = Oracle(Cache(tmp_path, MINE), probes="def twice(impl, x):\n    return {'both': impl.mean(x) * 2}\n")
    place = oracle.expectation(FUNCTIONS, asked(probe("twice", x=X))).places[Place("both")]
    np.testing.assert_allclose(numbers(place.value), 2 * X.astype(np.float64).mean(-1), rtol=1e-15)


def test_size_limit_leaves_room_for_right_answers(oracle: Oracle) -> None:
    small, large = oracle.expectation(FUNCTIONS, asked(call("rank", X))), oracle.expectation(FUNCTIONS, asked(call("same", X)))
    assert small.size_bytes >= 4096 and large.size_bytes >= 2 * X.size * 8


# The spread


def test_copied_number_moves_by_one_rounding(oracle: Oracle) -> None:
    moves = spread(called(oracle, "same")) / (U * np.abs(X))
    assert (moves > 0.2).all() and (moves < 2.5).all()


@pytest.mark.parametrize("function", ["constant", "zero"])
def test_exact_results_do_not_move(oracle: Oracle, function: str) -> None:
    assert not spread(called(oracle, function)).any()


def test_cancellation_moves_by_the_size_of_its_terms(oracle: Oracle) -> None:
    moves = spread(called(oracle, "shifted")) / (U * 1e4)
    assert (moves > 0.3).all() and (moves < 5).all()


def test_the_spread_has_the_shape_of_the_numbers(oracle: Oracle) -> None:
    expectation = oracle.expectation(NORM, asked(build(8), train(X)))
    shapes = {name: place.value.values.shape for name, place in expectation.places.items() if isinstance(place.value, Array)}
    assert len(shapes) >= 3
    assert {name: spread(expectation.places[name]).shape for name in shapes} == shapes
    assert all((spread(expectation.places[name]) > 0).all() for name in shapes)


def test_gradients_have_a_spread_of_their_own(oracle: Oracle) -> None:
    place = oracle.expectation(NORM, asked(build(2, eps=1e-8), train(X[:, :2]))).places[gradient_of("input", step=1)]
    cancelled = np.abs(numbers(place.value)).max()
    assert cancelled < 1e-4 and (spread(place) > 1e-3 * cancelled).all()  # with two features the exact gradient is almost zero


PAIR = """
import numpy as np

def forward(x, weight):
    return (x.astype(np.float32) * weight).astype(x.dtype), (x, weight)

def backward(dy, cache):
    x, weight = cache
    return (dy.astype(np.float32) * weight).astype(x.dtype), (dy.astype(np.float32) * x).sum(0).astype(x.dtype)
"""


def test_a_backward_pass_by_hand_is_computed_in_float32(tmp_path: Path) -> None:
    oracle = Oracle(Cache(tmp_path, MINE), written_with=Library.NUMPY)
    x, weight = X.astype(np.float16), X[0].astype(np.float16)
    places = oracle.expectation(PAIR, request([forward_backward(), evaluate(x, weight, dtype="float16", backward=True)], "", KEY)).places
    gradient = places[gradient_of("input 2", step=1)]
    assert gradient.dtype == "float16" and all(place.slack is None for place in places.values())
    assert (allowed(gradient) < 5 * 2.0**-11 * np.abs(numbers(gradient.value)) + 1e-4).all()


def test_right_code_that_rounds_more_widens_spread_and_slack() -> None:
    wanted = asked(build(8), train(X, dtype="bfloat16"))

    def moving(spread: list[float], slack: list[float] | None) -> Expectation:
        held = None if slack is None else np.array(slack)
        return Expectation(wanted, {Place("output", step=1): Expected(Array(np.ones(2), "float64"), "bfloat16", np.array(spread), held)})

    def widest(theirs: Expectation) -> list[list[float]]:
        place = with_spread_of(moving([1.0, 4.0], [5.0, 2.0]), theirs).places[Place("output", step=1)]
        assert place.slack is not None
        return [spread(place).tolist(), place.slack.tolist()]

    assert widest(moving([3.0, 2.0], [3.0, np.nan])) == [[3.0, 4.0], [5.0, 2.0]]
    assert widest(moving([0.0, 5.0], [7.0, 3.0])) == [[1.0, 5.0], [7.0, 3.0]]
    assert widest(moving([9.0], None)) == widest(replace(moving([0.0], None), places={})) == [[1.0, 4.0], [5.0, 2.0]]


# Errors and unsound references


def test_error_of_the_reference_keeps_earlier_steps(oracle: Oracle) -> None:
    expectation = oracle.expectation(NORM, asked(build(8), train(X), train(X[0])))
    assert expectation.error is not None
    assert (expectation.error.cause, expectation.error.types[0], expectation.error.step) == (Cause.RAISED, "ValueError", 2)
    assert "step 1 · output" in expectation.places and not any(place.startswith("step 2") for place in expectation.places)


@pytest.mark.parametrize("story", [(build(1),), (build(1), train(X))])
def test_a_refusal_to_be_built_is_expected(oracle: Oracle, story: Story) -> None:
    expectation = oracle.expectation(NORM, asked(*story))
    assert expectation.error is not None and expectation.places == {}
    assert (expectation.error.types[0], expectation.error.message) == ("ValueError", "too small")


NOT_FINITE = {
    "over_zero": (X, "the reference gives NaN or infinity at result, "),
    "odd": (np.ones(3, np.float32), "the reference is not finite at result if every operation is rounded, "),
}


@pytest.mark.parametrize("function", NOT_FINITE)
def test_a_reference_that_is_not_finite_is_unsound(oracle: Oracle, function: str) -> None:
    x, why = NOT_FINITE[function]
    expectation = oracle.expectation(FUNCTIONS, asked(call(function, x)))
    assert (unsound(expectation) or "").startswith(f"{why}so results cannot be compared with it: ")
    assert not np.isfinite(allowed(expectation.places[Place("result")])).all()
