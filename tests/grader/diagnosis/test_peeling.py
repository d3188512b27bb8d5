"""Peeling: a second play separates half precision from other mistakes, and the numbers separate forms from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from normgrade.compare.played import Played, Result
from normgrade.diagnosis.peeling import in_float32, peel
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.report.report import (
    FLOAT64_NARROWED,
    HALF_PRECISION,
    INPUT_CHANGED,
    OTHER_DTYPE,
    OTHER_SHAPE,
    WIDER_RETURNED,
    Check,
    Kind,
    Outcome,
)
from normgrade.worker.wire.observation import Array, Cause, Error, Observation, Playable, Record, Recording
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


def float64_result(numbers: Sequence[float]) -> Result:
    """Return a failed check with one play in float64, which observed these numbers."""
    right = Expected(array(RIGHT, "float64"), "float64", np.zeros(3), np.zeros(3), unit="float64")
    play = Played(seen(numbers, "float64"), Expectation(FunctionCall("f", args=[array(RIGHT, "float64")]), {OUTPUT: right}))
    return Result(Check("test_0", "Claim.", Kind.FORMULA, Outcome.FAILED, 1), (play,))


def seen(numbers: Sequence[float], dtype: str = "float16", place: Place = OUTPUT) -> Observation:
    return Observation({place: array(numbers, dtype)})


def again(answer: Observation | None) -> Callable[[Sequence[Playable]], list[Observation | None]]:
    """Answer every request, all of which must be in float32, with `answer`."""

    def play_again(requests: Sequence[Playable]) -> list[Observation | None]:
        assert all(request.inputs["args"][0].dtype == "float32" for request in requests)
        return [answer] * len(requests)

    return play_again


def recording(*records: tuple[str, Sequence[float]]) -> Callable[[Sequence[Playable]], list[Recording]]:
    """Answer every request with these values, each with its dtype."""
    values = tuple(Record(number, 0, dtype, np.array(numbers)) for number, (dtype, numbers) in enumerate(records))
    return lambda requests: [Recording({}, records=values)] * len(requests)


IN_HALF = recording(("float16", [0.5, 0.25]))


def nobody(requests: Sequence[Playable]) -> list[Observation | None]:
    raise AssertionError("nothing is to be played again")


def test_numbers_right_in_float32_show_half_precision() -> None:
    peeled = peel([result(seen([1.0, 2.0, 3.5]))], again(seen(RIGHT, "float32")), IN_HALF)
    assert peeled.kinds == {HALF_PRECISION: {KEY: frozenset({1})}} and peeled.aside == {}
    [play] = peeled.rest[0].plays
    assert not play.facts.wrong.any()


def test_the_numbers_of_another_mistake_are_left() -> None:
    peeled = peel([result(seen([1.0, 2.0, 9.5]))], again(seen([1.0, 2.0, 6.0], "float32")), IN_HALF)
    [play] = peeled.rest[0].plays
    assert HALF_PRECISION in peeled.kinds and play.facts.wrong.tolist() == [False, True, False] and play.facts.numbers[2] == 6.0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((("float16", RIGHT), ("float16", [1.5, 2.0, 3.0])), True),
        ((("float16", RIGHT), ("float32", [0.1, 0.2, 0.3]), ("float16", [-0.199951171875, 0.0])), False),  # a rounding, and a mask
        ((("float16", [1e-4]),), False),  # an eps
        ((), True),  # code that cannot be recorded
    ],
)
def test_half_precision_is_seen_on_the_way(values: Sequence[tuple[str, Sequence[float]]], told: bool) -> None:
    peeled = peel([result(seen([1.0, 2.0, 3.5]))], again(seen(RIGHT, "float32")), recording(*values))
    assert (HALF_PRECISION in peeled.kinds) == told


def test_half_precision_of_right_code_is_no_mistake() -> None:
    results, wrong = [result(seen([1.0, 2.0, 9.5]))], again(seen([1.0, 2.0, 6.0], "float32"))
    assert HALF_PRECISION in peel(results, wrong, IN_HALF, recording(("float32", [0.5, 0.25]))).kinds
    assert HALF_PRECISION not in peel(results, wrong, IN_HALF, IN_HALF).kinds
    assert HALF_PRECISION in peel(results, again(seen(RIGHT, "float32")), IN_HALF, IN_HALF).kinds


def test_numbers_moved_by_rounding_show_no_half_precision() -> None:
    results = [result(seen([1.0, 2.0, 6.0]))]
    peeled = peel(results, again(seen([1.0, 2.0, 6.001], "float32")), IN_HALF)
    assert peeled.kinds == {} and peeled.rest[0].plays == results[0].plays


def test_an_exception_is_left_as_it_is() -> None:
    error = Error(Cause.RAISED, "no", ("RuntimeError", "Exception"))
    assert peel([result(Observation(error=error))], nobody).kinds == {}


def test_too_large_numbers_may_move_in_proportion() -> None:
    """Multiply by 1000: the roundings behind the output are as much larger, so that they do not show half precision."""
    results = [result(seen([1000.0, 2000.0, 3000.0], "bfloat16"), "bfloat16")]
    assert peel(results, again(seen([1000.0, 2000.0, 3020.0], "float32")), IN_HALF).kinds == {}
    assert peel(results, again(seen([1000.0, 2000.0, 3900.0], "float32")), IN_HALF).kinds != {}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_wider_returned_dtype_is_set_aside(dtype: str) -> None:
    peeled = peel([result(seen(RIGHT, dtype))], again(seen(RIGHT, "float32")), IN_HALF)
    assert peeled.kinds == {WIDER_RETURNED: {KEY: frozenset({0})}} and peeled.aside == peeled.kinds[WIDER_RETURNED]


def test_a_constant_returned_dtype_is_told_once() -> None:
    results = [result(seen(RIGHT, "float64")), result(seen(RIGHT, "float64"), "float32")]
    assert [*peel(results, again(seen(RIGHT, "float64")), IN_HALF).kinds] == [OTHER_DTYPE]


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


def test_own_tensor_is_not_of_the_caller() -> None:
    place = Place("{name} left alone", name="u")
    assert peel([result(seen([0.0, 2.0, 3.0], "float32", place), "float32", place)], nobody).kinds == {}


@pytest.mark.parametrize(("narrow", "kinds"), [([1.5, 2.5], [FLOAT64_NARROWED]), ([1.5, 1.5], [])])
def test_only_float32_made_of_inputs_narrows_float64(narrow: list[float], kinds: list[str]) -> None:
    """Record the play twice, with other inputs: a float32 value that stays is no input that was narrowed."""

    def record(requests: Sequence[Playable]) -> list[Recording]:
        assert {request.inputs["args"][0].dtype for request in requests} == {"float64"}
        return [Recording({}, records=(Record(0, 0, "float32", np.array([number])),)) for number in narrow]

    peeled = peel([float64_result([1.0, 2.0, 3.0000001])], nobody, record)
    assert [*peeled.kinds] == kinds


def test_without_a_recording_nothing_narrows_float64() -> None:
    assert peel([float64_result([1.0, 2.0, 3.0000001])], nobody).kinds == {}


def test_without_an_answer_the_observation_stays() -> None:
    results = [result(seen([1.0, 2.0, 3.5]))]
    assert peel(results, again(None)).rest[0].plays == results[0].plays


def test_half_precision_is_widened_everywhere_in_a_request() -> None:
    wide = in_float32(FunctionCall("f", args=[array(RIGHT, "bfloat16")], kwargs={"dtype": "float16", "eps": 1e-5}))
    assert (wide.inputs["args"][0].dtype, wide.inputs["kwargs"]) == ("float32", {"dtype": "float32", "eps": 1e-5})
