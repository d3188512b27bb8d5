"""The trend of the differences: a common feature of all of them, and none if there are two explanations."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.language.places import Place, gradient_of
from normgrade.remarks.trends import SizedStep, by_gradient, by_mode, by_size, pattern
from normgrade.report.report import ArrayDifference, Difference, Numbers
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, FunctionCall, LayerStep, LayerStory

FIRST, SECOND = Place("output", step=1), Place("output", step=2)
OF_INPUT, OF_WEIGHT = gradient_of("input", step=1), gradient_of("{name}", step=1, name="weight")
PLACES = dict.fromkeys([FIRST, OF_INPUT, OF_WEIGHT, SECOND])


def story(modes: str, sizes: tuple[float, ...] | None = None) -> LayerStory:
    """Return a story with one step for each letter: t trains, e evaluates, r reloads."""
    steps = []
    for number, mode in enumerate(modes):
        x = Array(np.array([0.5, -1.0]) * (1.0 if sizes is None else sizes[number]), "float32")
        action = {"t": Action.TRAIN, "e": Action.EVALUATE, "r": Action.RELOAD}[mode]
        steps.append(LayerStep(action, None if mode == "r" else x))
    return LayerStory("Layer", steps=steps)


def at(*places: Place, got: float = 2.0) -> list[Difference]:
    numbers = Numbers(np.ones(2), np.full(2, got), np.full(2, 0.1))

    def difference(place: Place) -> Difference:
        return ArrayDifference(
            place=place, dtype="float32", shape=(2,), mismatched=2, total=2, max_abs=1.0, max_rel=1.0, allowed=0.1, at=(0,),
            expected=1.0, actual=got, numbers=numbers,
        )  # fmt: skip

    return list(map(difference, places))


def wrong(modes: str, *steps: int, sizes: tuple[float, ...] | None = None) -> str:
    places = dict.fromkeys(Place("output", step=number) for number in range(1, len(modes) + 1))
    return pattern(story(modes, sizes), places, at(*(Place("output", step=number) for number in steps)))


@pytest.mark.parametrize(
    ("modes", "steps", "words"),
    [
        ("te", (2,), "Right in training, wrong in evaluation."),
        ("te", (1,), "Right in evaluation, wrong in training."),
        ("tte", (3,), "Right in training, wrong in evaluation."),
        ("tete", (1, 3), "Right in evaluation, wrong in training."),
        ("tt", (2,), "Right at first, wrong from the second step on."),
        ("ttt", (2, 3), "Right at first, wrong from the second step on."),
        ("tet", (2, 3), "Right at first, wrong from the second step on."),
        ("ttt", (3,), "Right at first, wrong from step 3 on."),
        ("trt", (3,), "Right at first, wrong from step 3 on."),
        ("tt", (1, 2), ""),
        ("tt", (1,), ""),
        ("ttt", (2,), ""),
        ("tete", (2, 3), ""),
        ("t", (1,), ""),
    ],
)
def test_the_wrong_steps_are_told_if_clear(modes: str, steps: tuple[int, ...], words: str) -> None:
    assert wrong(modes, *steps) == words


def test_a_mode_is_not_told_if_sizes_differ() -> None:
    assert wrong("te", 2, sizes=(1.0, 100.0)) == wrong("tt", 2, sizes=(100.0, 1.0)) == ""
    assert wrong("te", 2, sizes=(1.0, 3.0)) == "Right in training, wrong in evaluation."


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([OF_INPUT], "The forward pass is right, but the gradient of input is wrong."),
        (
            [OF_INPUT, OF_WEIGHT],
            "The forward pass is right, but the gradient of input and weight is wrong.",
        ),
        ([FIRST, OF_INPUT], ""),
        ([], ""),
    ],
)
def test_a_wrong_gradient_after_a_right_forward_is_told(places: list[Place], words: str) -> None:
    assert by_gradient(PLACES, at(*places)) == words


def test_gradients_without_outputs_are_not_singled_out() -> None:
    assert by_gradient({OF_INPUT: None}, at(OF_INPUT)) == ""


def test_the_first_nan_is_told_unless_immediate() -> None:
    later = at(FIRST) + at(SECOND, got=np.nan)
    assert pattern(story("t"), PLACES, later) == "NaN first appears at step 2 · output."
    assert pattern(story("t"), PLACES, at(FIRST, got=np.inf)) == ""


def taken(right: list[float], wrong: list[float]) -> list[SizedStep]:
    return [SizedStep(1, True, size, True) for size in right] + [SizedStep(1, True, size, False) for size in wrong]


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ([0.5, 9.0], [300.0, 1e4], "Wrong only for large inputs: right up to |x| = 9, wrong from 300 on."),
        ([2.0, 300.0], [0.003, 0.01], "Wrong only for small inputs: right from |x| = 2 on, wrong up to 0.01."),
        ([2.0, 9.0], [20.0], ""),
        ([2.0] * 10, [3.0] * 10, "Wrong only for large inputs: right up to |x| = 2, wrong from 3 on."),
        ([2.0] * 10, [3.0] * 9, ""),
        ([2.0, 900.0], [300.0], ""),
        ([0.0], [0.003], ""),
        ([], [300.0], ""),
        ([9.0], [], ""),
    ],
)
def test_a_decisive_input_size_is_told(right: list[float], wrong: list[float], words: str) -> None:
    assert by_size(taken(right, wrong)) == words


def test_half_precision_hides_small_numbers() -> None:
    steps = [*taken([2.0], [0.01]), SizedStep(1, True, 1e-9, True, half=True)]
    assert by_size(steps) == "Wrong only for small inputs: right from |x| = 2 on, wrong up to 0.01."


@pytest.mark.parametrize(
    ("wrong_in_half", "right_in_half", "words"),
    [
        (True, True, ""),  # rounding may hide the error in evaluation
        (True, False, "Right in evaluation, wrong in training."),
        (False, True, "Right in evaluation, wrong in training."),
    ],
)
def test_half_precision_hides_a_wrong_mode(wrong_in_half: bool, right_in_half: bool, words: str) -> None:
    assert by_mode([SizedStep(1, True, 2.0, False, wrong_in_half), SizedStep(2, False, 2.0, True, right_in_half)]) == words


def test_a_function_call_has_no_trend() -> None:
    assert pattern(FunctionCall("f"), {Place("result"): None}, at(Place("result"))) == ""
