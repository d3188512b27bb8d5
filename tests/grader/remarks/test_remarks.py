"""The second pass over the checks: if a check failed, its differences get words; passed checks and given messages stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from normgrade.compare.played import Played, Result
from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.remarks.remarks import remarked
from normgrade.report.report import Check, Kind, Outcome
from normgrade.suite.story import build, evaluate, request, train
from normgrade.worker.wire.observation import Array, Observation

RIGHT = np.array([1.0, 2.0, 3.0, 1.25])
EXERCISE = Course(carried()).exercise("layer_norm")
FAILED = Check("a", "It holds.", Kind.FORMULA, Outcome.FAILED, 1)


def played(*outputs: np.ndarray, sizes: tuple[float, ...] = (1.0, 1.0)) -> Played:
    """Return a story with one step for each output, with inputs of these sizes, in training and evaluation by turns."""
    actions = (train, evaluate)
    story = [actions[number % 2](np.full((4,), size, np.float32)) for number, size in zip(range(len(outputs)), sizes, strict=True)]
    expected = {
        Place("output", step=number): Expected(Array(RIGHT, "float64"), "float32", np.zeros(4)) for number in range(1, len(outputs) + 1)
    }
    seen = {f"step {number} · output": Array(values.astype(np.float32), "float32") for number, values in enumerate(outputs, 1)}
    return Played(Observation(seen), Expectation(request([build(4), *story], "Layer", None), expected))


def failing(play: Played, **changes: object) -> Result:
    return Result(replace(FAILED, differences=play.differences, **changes), (play,), play)  # type: ignore[arg-type]


def test_differences_and_their_trend_are_put_into_words() -> None:
    [check] = remarked([failing(played(RIGHT, RIGHT * 2))], EXERCISE)
    assert check.message == "Right in training, wrong in evaluation."
    assert [difference.looks_like for difference in check.differences] == ["every value × 2"]


def test_numbers_of_another_shape_get_words_too() -> None:
    [check] = remarked([failing(played(RIGHT.reshape(2, 2), sizes=(1.0,)))], EXERCISE)
    assert [difference.looks_like for difference in check.differences] == ["right numbers, only the shape differs"]


def test_a_given_message_stays() -> None:
    [check] = remarked([failing(played(RIGHT, RIGHT * 2), message="step 2: KeyError")], EXERCISE)
    assert check.message == "step 2: KeyError"


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.SKIPPED, Outcome.ERROR])
def test_only_failures_get_remarks(outcome: Outcome) -> None:
    result = failing(played(RIGHT, RIGHT * 2), outcome=outcome)
    assert remarked([result], EXERCISE) == (result.check,)


def test_the_input_size_is_compared_over_all_checks() -> None:
    small, large = failing(played(RIGHT, sizes=(1.0,)), outcome=Outcome.PASSED), failing(played(RIGHT * 2, sizes=(100.0,)))
    _passed, check = remarked([small, large], EXERCISE)
    assert check.message == "Wrong only for large inputs: right up to |x| = 1, wrong from 100 on."
