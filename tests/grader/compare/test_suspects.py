"""Suspects: who fits the wrong facts, and where each is asked first."""

from __future__ import annotations

import pytest
from scripted import Plays, Seen, World, raised

from normgrade.compare.suspects import Suspects

RIGHT: list[Seen] = [{"output": [1.0, 2.0]}, {"output": [3.0, 4.0], "flag": True}, {"output": [5.0, 6.0]}]
WORLD = World(
    RIGHT,
    {
        "everywhere": {0: {"output": [9.0, 2.0]}, 1: {"output": [9.0, 4.0]}, 2: {"output": [9.0, 6.0]}},
        "first": {0: {"output": [1.0, 9.0]}},
        "second": {1: {"output": [3.0, 9.0], "flag": False}},
        "third": {2: {"output": [5.0, 9.0]}},
        "harmless": {},
    },
)


def suspects(submission: Plays) -> Suspects:
    return Suspects.of(WORLD.results(submission), WORLD.footprints())


def names(members: list[int]) -> list[str]:
    return [list(WORLD.mistakes)[member] for member in members]


WRONG = {0: {"output": [0.0, 0.0]}, 1: {"output": [0.0, 0.0], "flag": False}}


@pytest.mark.parametrize(
    ("submission", "hidden", "fitting"),
    [
        (WRONG, 0.0, ["everywhere", "second", "first"]),  # a single fact may always be right
        ({0: WRONG[0]}, 0.0, ["first"]),
        ({0: WRONG[0]}, 0.5, ["first"]),
        ({0: WRONG[0]}, 1.0, ["everywhere", "first"]),
        ({}, 1.0, []),
    ],
)
def test_a_mistake_fits_unless_too_many_of_its_facts_are_right(submission: Plays, hidden: float, fitting: list[str]) -> None:
    assert names(suspects(submission).fitting(hidden)) == fitting


def test_it_is_asked_first_where_the_fewest_others_act() -> None:
    found = suspects({0: {"output": [0.0, 0.0]}, 1: {"output": [0.0, 0.0]}, 2: {"output": [0.0, 0.0]}})
    assert found.failing(0, [0, 1]) == [2, 1, 0]  # the shorter of two plays comes first
    assert found.failing(0, [0]) == [0, 2, 1]


def test_only_what_was_observed_counts() -> None:
    found = suspects({0: {"output": [0.0, 0.0]}, 1: raised("TypeError")})
    assert found.acting(0) == [0, 1, 2] and found.failing(0, [0]) == [0, 1]
    assert names(found.fitting(0.0)) == ["everywhere", "first"]


EVERYTHING: Plays = {0: {"output": [0.0, 0.0]}, 1: {"output": [0.0, 0.0]}, 2: {"output": [0.0, 0.0]}}


@pytest.mark.parametrize(
    ("members", "each", "sample"), [([0, 1, 2, 3], 1, [0, 1, 2]), ([0], 1, [0]), ([0, 2], 1, [1]), ([0], 2, [0, 1]), ([0], 9, [0, 1, 2])]
)
def test_in_a_sample_every_suspect_acts_as_often_as_it_is_asked(members: list[int], each: int, sample: list[int]) -> None:
    assert suspects(EVERYTHING).sample(members, each) == sample


def test_a_sample_holds_only_what_went_wrong() -> None:
    assert suspects({}).sample([0], 3) == [] and suspects({1: {"output": [0.0, 0.0]}}).sample([0], 3) == [1]


@pytest.mark.parametrize(("members", "covered"), [([0], True), ([1], False), ([1, 2, 3], True), ([], False)])
def test_what_no_suspect_changes_is_not_covered(members: list[int], covered: bool) -> None:
    assert suspects(EVERYTHING).cover(members, 0.0) is covered
