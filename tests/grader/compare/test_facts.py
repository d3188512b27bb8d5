"""Facts: the form of every value, its numbers and the ending of a play, each right, wrong or not reached."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scripted import Seen, expectation, observation, raised

from normgrade.compare.facts import MOST_NUMBERS, REFUSED, SILENT, Facts, chosen, facts_of, right_of
from normgrade.language.places import Absent
from normgrade.worker.wire.observation import Array, Foreign, Observation, Reason

RIGHT = {"output": [1.0, 2.0], "left alone": True, "key": "weight"}


def facts(seen: Observation | Seen, right: Seen = RIGHT, refusal: tuple[str, ...] | None = None) -> Facts:
    seen = seen if isinstance(seen, Observation) else observation(seen)
    return facts_of(seen, right_of(expectation(right, 0), refusal))


def test_a_right_observation_has_no_wrong_fact() -> None:
    found = facts(RIGHT)
    assert not found.wrong.any() and found.reached.tolist() == [True, True, True, False, True, False, True]
    assert found.numbers.tolist() == [1.0, 2.0] and found.ending == ""


@pytest.mark.parametrize(
    ("place", "value", "wrong"),
    [
        ("output", [1.0, 2.5], [1]),
        ("output", [[1.0], [2.0]], [0]),  # right numbers in another shape
        ("output", [1.0, 2.0, 3.0], [0, 1]),
        ("output", None, [0, 1]),
        ("output", Array(np.array([1.0, 2.0]), "float64"), [0]),
        ("output", Array(np.array([1.0, 3.0]), "float64"), [0, 1]),
        ("output", Foreign(Reason.TYPE, "list"), [0, 1]),
        ("left alone", False, [2]),
        ("left alone", 1, [2]),
        ("key", "gamma", [4]),
        ("key", Absent("weight", ("gamma",)), [4]),
    ],
)
def test_form_and_numbers_are_wrong_by_themselves(place: str, value: Any, wrong: list[int]) -> None:
    assert np.flatnonzero(facts({**RIGHT, place: value}).wrong).tolist() == wrong


def test_any_other_name_is_alike() -> None:
    one, other = (facts({**RIGHT, "key": name}) for name in ("gamma", "g"))
    assert one.forms == other.forms != facts(RIGHT).forms


def test_facts_after_an_error_are_not_reached() -> None:
    found = facts(Observation({"output": Array(np.array([1.0, 2.0], np.float32), "float32")}, raised("KeyError", 2)))
    assert found.reached.tolist() == [True, True, False, False, False, False, True]
    assert np.flatnonzero(found.wrong).tolist() == [6] and found.ending == "KeyError at 2"


@pytest.mark.parametrize(
    ("seen", "ending", "wrong"),
    [
        (raised("ValueError"), REFUSED, False),
        ({}, SILENT, True),
        (raised("AssertionError"), "AssertionError at 1", True),
        (raised("ValueError", 2), "ValueError at 2", True),
    ],
)
def test_endings_of_a_play_that_should_be_refused(seen: Seen, ending: str, wrong: bool) -> None:
    found = facts(seen, raised("ValueError"), ("ValueError",))
    assert (found.ending, bool(found.wrong[-1])) == (ending, wrong)


def test_all_numbers_are_compared_but_a_sample_is_kept() -> None:
    right = [float(number) for number in range(10 * MOST_NUMBERS)]
    left_out = next(number for number in range(len(right)) if number not in chosen(len(right)))
    found = facts({"output": [*right[:left_out], -7.0, *right[left_out + 1 :]]}, {"output": right})
    assert len(found.numbers) == MOST_NUMBERS and found.wrong.tolist() == [False, True, False]
    assert len({*chosen(len(right)).tolist()}) == MOST_NUMBERS
