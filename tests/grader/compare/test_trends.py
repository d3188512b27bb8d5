"""What differences have in common: only what all of them show, and nothing where two things would explain it."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.compare.trends import Step, by_gradient, by_size, pattern
from normgrade.report.report import ArrayDifference, Difference, Numbers
from normgrade.worker.observation import Array, Request

PLACES = dict.fromkeys(["step 1 · output", "step 1 · gradient of input", "step 1 · gradient of weight", "step 2 · output"])


def story(modes: str, sizes: tuple[float, ...] | None = None) -> Request:
    """One step per letter: t trains, e evaluates, r reloads."""
    steps = []
    for number, mode in enumerate(modes):
        x = {} if mode == "r" else {"x": Array(np.array([0.5, -1.0]) * (1.0 if sizes is None else sizes[number]), "float32")}
        steps.append({"do": {"t": "train", "e": "evaluate", "r": "reload"}[mode], **x})
    return Request("layer_story", {"steps": steps})


def at(*places: str, got: float = 2.0) -> list[Difference]:
    numbers = Numbers(np.ones(2), np.full(2, got), np.full(2, 0.1))

    def difference(place: str) -> Difference:
        return ArrayDifference(
            place=place, dtype="float32", shape=(2,), mismatched=2, total=2, max_abs=1.0, max_rel=1.0, allowed=0.1, at=(0,),
            expected=1.0, actual=got, numbers=numbers,
        )  # fmt: skip

    return list(map(difference, places))


def wrong(modes: str, *steps: int, sizes: tuple[float, ...] | None = None) -> str:
    places = dict.fromkeys(f"step {number} · output" for number in range(1, len(modes) + 1))
    return pattern(story(modes, sizes), places, at(*(f"step {number} · output" for number in steps)))


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
def test_when_it_is_wrong_is_told_where_that_is_clear(modes: str, steps: tuple[int, ...], words: str) -> None:
    assert wrong(modes, *steps) == words


def test_it_is_not_the_mode_where_it_may_as_well_be_the_size() -> None:
    assert wrong("te", 2, sizes=(1.0, 100.0)) == wrong("tt", 2, sizes=(100.0, 1.0)) == ""
    assert wrong("te", 2, sizes=(1.0, 3.0)) == "Right in training, wrong in evaluation."


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (["step 1 · gradient of input"], "The forward pass is right, the gradient is not: that of input."),
        (
            ["step 1 · gradient of input", "step 1 · gradient of weight"],
            "The forward pass is right, the gradient is not: that of input and weight.",
        ),
        (["step 1 · output", "step 1 · gradient of input"], ""),
        ([], ""),
    ],
)
def test_a_wrong_gradient_behind_a_right_forward_pass_is_told(places: list[str], words: str) -> None:
    assert by_gradient(PLACES, at(*places)) == words


def test_where_there_is_nothing_but_gradients_none_is_singled_out() -> None:
    assert by_gradient({"gradient of x": None}, at("gradient of x")) == ""


def test_where_not_a_number_begins_is_told_unless_it_is_at_once() -> None:
    later = at("step 1 · output") + at("step 2 · output", got=np.nan)
    assert pattern(story("t"), PLACES, later) == "NaN begins at step 2 · output."
    assert pattern(story("t"), PLACES, at("step 1 · output", got=np.inf)) == ""


def taken(right: list[float], wrong: list[float]) -> list[Step]:
    return [Step("", True, size, True) for size in right] + [Step("", True, size, False) for size in wrong]


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ([0.5, 9.0], [300.0, 1e4], "Wrong only for large inputs: right up to |x| = 9, wrong from 300 on."),
        ([2.0, 300.0], [0.003, 0.01], "Wrong only for small inputs: right from |x| = 2 on, wrong up to 0.01."),
        ([2.0, 9.0], [20.0], ""),
        ([2.0, 900.0], [300.0], ""),
        ([0.0], [0.003], ""),
        ([], [300.0], ""),
        ([9.0], [], ""),
    ],
)
def test_the_size_of_the_inputs_is_told_where_it_alone_decides(right: list[float], wrong: list[float], words: str) -> None:
    assert by_size(taken(right, wrong)) == words


def test_what_is_no_story_of_a_layer_has_no_steps() -> None:
    assert pattern(Request("function_call", {"args": []}), {"result": None}, at("result")) == ""
