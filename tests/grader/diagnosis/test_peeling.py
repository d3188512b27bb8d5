"""Peeling: a second play separates half precision from other mistakes, and the numbers separate forms from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from normgrade.compare.played import Played, Result
from normgrade.diagnosis.peeling import in_float32, peel
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.report.report import HALF_PRECISION, INPUT_CHANGED, OTHER_DTYPE, OTHER_SHAPE, WIDER_RETURNED, Check, Kind, Outcome
from normgrade.worker.wire.observation import Array, Cause, Error, Observation, Playable
from normgrade.worker.wire.requests import FunctionCall

RIGHT = [1.0, 2.0, 3.0]
OUTPUT, INPUT = Place("output"), Place("input left alone")
KEY = "test_0", 0


def array(numbers: Sequence[float], dtype: str) -> Array:
    return Array(np.asarray(numbers, "float32" if dtype == "bfloat16" else dtype), dtype)


def result(observed: Observation, dtype: str = "float16", place: Place = OUTPUT) -> Result:
    """Return a failed check with one play in this dtype, whose right answer is RIGHT."""
    request = FunctionCall("f", args=[array(RIGHT, dtype)])
    right = Expected(array(RIGHT, "float64"), dtype, np.zeros(3), np.zeros(3))
    play = Played(observed, Expectation(request, {place: right}))
    return Result(Check("test_0", "Claim.", Kind.FORMULA, Outcome.FAILED, 1), (play,))


def seen(numbers: Sequence[float], dtype: str = "float16", place: Place = OUTPUT) -> Observation:
    return Observation({place: array(numbers, dtype)})


def again(answer: Observation | None) -> Callable[[Sequence[Playable]], list[Observation | None]]:
    """Answer every request, all of which must be in float32, with `answer`."""

    def play_again(requests: Sequence[Playable]) -> list[Observation | None]:
        assert all(request.inputs["args"][0].dtype == "float32" for request in requests)
        return [answer] * len(requests)

    return play_again


def nobody(requests: Sequence[Playable]) -> list[Observation | None]:
    raise AssertionError("nothing is to be played again")


def test_numbers_right_in_float32_show_half_precision() -> None:
    peeled = peel([result(seen([1.0, 2.0, 3.5]))], again(seen(RIGHT, "float32")))
    assert peeled.kinds == {HALF_PRECISION: {KEY: frozenset({1})}} and peeled.aside == {}
    [play] = peeled.rest[0].plays
    assert not play.facts.wrong.any()


def test_the_numbers_of_another_mistake_are_left() -> None:
    peeled = peel([result(seen([1.0, 2.0, 9.5]))], again(seen([1.0, 2.0, 6.0], "float32")))
    [play] = peeled.rest[0].plays
    assert HALF_PRECISION in peeled.kinds and play.facts.wrong.tolist() == [False, True, False] and play.facts.numbers[2] == 6.0


def test_numbers_moved_by_rounding_show_no_half_precision() -> None:
    results = [result(seen([1.0, 2.0, 6.0]))]
    peeled = peel(results, again(seen([1.0, 2.0, 6.001], "float32")))
    assert peeled.kinds == {} and peeled.rest[0].plays == results[0].plays


def test_an_exception_absent_in_float32_shows_half_precision() -> None:
    error = Error(Cause.RAISED, "no", ("RuntimeError", "Exception"))
    peeled = peel([result(Observation(error=error))], again(seen(RIGHT, "float32")))
    assert peeled.kinds == {HALF_PRECISION: {KEY: frozenset({2})}}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_wider_returned_dtype_is_set_aside(dtype: str) -> None:
    peeled = peel([result(seen(RIGHT, dtype))], again(seen(RIGHT, "float32")))
    assert peeled.kinds == {WIDER_RETURNED: {KEY: frozenset({0})}} and peeled.aside == peeled.kinds[WIDER_RETURNED]


def test_a_constant_returned_dtype_is_told_once() -> None:
    results = [result(seen(RIGHT, "float64")), result(seen(RIGHT, "float64"), "float32")]
    assert [*peel(results, again(seen(RIGHT, "float64"))).kinds] == [OTHER_DTYPE]


def test_right_numbers_in_another_shape_are_a_mistake() -> None:
    observed = Observation({OUTPUT: Array(np.array([RIGHT], np.float32), "float32")})
    assert peel([result(observed, "float32")], nobody).kinds == {OTHER_SHAPE: {KEY: frozenset({0})}}


def test_wrong_numbers_in_another_shape_show_a_mistake_too() -> None:
    observed = Observation({OUTPUT: Array(np.array([[1.0, 2.0, 6.0]], np.float32), "float32")})
    peeled = peel([result(observed, "float32")], nobody)
    assert peeled.aside == {KEY: frozenset({0})} and peeled.rest[0].plays[0].facts.wrong.tolist() == [True, True, False]


def test_too_few_numbers_are_not_another_shape() -> None:
    assert peel([result(seen([1.0, 2.0], "float32"), "float32")], nobody).kinds == {}


def test_a_changed_input_is_a_mistake() -> None:
    peeled = peel([result(seen([0.0, 2.0, 3.0], "float32", INPUT), "float32", INPUT)], nobody)
    assert peeled.kinds == {INPUT_CHANGED: {KEY: frozenset({1})}}


def test_without_an_answer_the_observation_stays() -> None:
    results = [result(seen([1.0, 2.0, 3.5]))]
    assert peel(results, again(None)).rest[0].plays == results[0].plays


def test_half_precision_is_widened_everywhere_in_a_request() -> None:
    wide = in_float32(FunctionCall("f", args=[array(RIGHT, "bfloat16")], kwargs={"dtype": "float16", "eps": 1e-5}))
    assert (wide.inputs["args"][0].dtype, wide.inputs["kwargs"]) == ("float32", {"dtype": "float32", "eps": 1e-5})
