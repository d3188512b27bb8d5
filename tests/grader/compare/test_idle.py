"""Tests of idle code: outputs that are made of given numbers, or are one number everywhere, and outputs that are computed."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.compare.idle import is_idle
from normgrade.compare.played import Played, Result
from normgrade.language.places import Place, gradient_of
from normgrade.oracle.expected import Expectation, Expected
from normgrade.report.report import Check, Kind, Outcome
from normgrade.worker.wire.observation import Array, Cause, Error, Observation, Playable
from normgrade.worker.wire.requests import FORWARD_BACKWARD, Action, FunctionCall, LayerStep, LayerStory

X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
WEIGHT = np.array([0.5, -2.0, 3.0], np.float32)  # of the channels
GAIN = np.array([0.5, -2.0, 3.0, 0.25], np.float32)  # of the last axis
NORMED = (X - X.mean()) / X.std()


def a_story(action: Action = Action.TRAIN, layer: str = "Norm") -> LayerStory:
    state = {name: Array(values, "float32") for name, values in {"weight": WEIGHT, "gain": GAIN}.items()}
    return LayerStory(layer, state=state, steps=[LayerStep(action, Array(X, "float32"), upstream=Array(X + 1, "float32"))])


def of(numbers: np.ndarray, request: Playable | None = None, place: Place = Place("output", step=1), dtype: str = "float32") -> Result:  # noqa: B008
    request = a_story() if request is None else request
    due = Expected(Array(NORMED, "float32"), "float32", np.zeros(NORMED.shape))
    play = Played(Observation({place: Array(np.asarray(numbers), dtype)}), Expectation(request, {place: due}))  # type: ignore[arg-type]
    return Result(Check("test", "It holds.", Kind.FORMULA, Outcome.FAILED, 1), (play,))


@pytest.mark.parametrize(
    "numbers",
    {
        "the input": X,
        "its numbers in another shape": X.reshape(4, 6),
        "zeros": X * 0,
        "ones": X * 0 + 1,
        "NaN": X * np.nan,
        "a parameter": np.broadcast_to(GAIN, X.shape),
        "times one of the last axis": X * GAIN,
        "times one of the channels, plus another": X * WEIGHT[:, None] + GAIN,
    }.values(),
)
def test_outputs_of_given_numbers_are_idle(numbers: np.ndarray) -> None:
    assert is_idle([of(numbers)]) and is_idle([of(numbers.astype(np.float16), dtype="float16")])


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_a_product_that_float16_does_not_hold_is_infinite() -> None:
    story = LayerStory("Norm", state={"gain": Array(GAIN * 6e4, "float32")}, steps=[LayerStep(Action.TRAIN, Array(X, "float32"))])
    assert is_idle([of((X * GAIN * 6e4).astype(np.float16), story, dtype="float16")])


@pytest.mark.parametrize("numbers", [NORMED, X * 1.03 * GAIN, np.abs(X), X.mean(0), X - X.mean()])
def test_one_computed_output_is_enough(numbers: np.ndarray) -> None:
    assert not is_idle([of(X), of(numbers), of(X)])


def test_single_number_is_idle_unless_computed() -> None:
    assert is_idle([of(np.zeros(1))]) and is_idle([of(np.ones(()))]) and not is_idle([of(np.full((), 0.7))])


def test_result_of_a_function_is_its_output() -> None:
    call = FunctionCall("norm", [Array(X, "float32")])
    assert is_idle([of(X, call, Place("result"))]) and not is_idle([of(NORMED, call, Place("result"))])
    assert is_idle([of(X, call, Place("result[{index}]", index=1))])


def test_only_gradients_written_by_hand_are_outputs() -> None:
    gradient, by_hand = gradient_of("input", step=1), a_story(layer=FORWARD_BACKWARD)
    assert is_idle([of(X), of(NORMED, place=gradient)])
    assert not is_idle([of(X, by_hand), of(NORMED, by_hand, gradient)]) and is_idle([of(X, by_hand), of(X + 1, by_hand, gradient)])


def test_without_an_output_of_a_call_nothing_is_idle() -> None:
    raised = Played(Observation(error=Error(Cause.RAISED, "so", ("ValueError",))), Expectation(a_story(), {}))
    assert not is_idle([]) and not is_idle([Result(of(X).check, (raised,))])
    assert not is_idle([of(X, a_story(Action.COPY))]), "steps other than calls may write into outputs"
