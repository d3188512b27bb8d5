"""Suspects: the mistakes that fit the wrong facts, and the plays in which each is tried first."""

from __future__ import annotations

import pytest
from scripted import Plays, Seen, World, raised

from normgrade.diagnosis.suspects import Suspects

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


WRONG: Plays = {0: {"output": [0.0, 0.0]}, 1: {"output": [0.0, 0.0], "flag": False}}


@pytest.mark.parametrize(
    ("submission", "hidden", "fitting"),
    [
        (WRONG, 0.0, ["everywhere", "second", "first"]),  # a mistake still fits if a single fact is right
        ({0: WRONG[0]}, 0.0, ["first"]),
        ({0: WRONG[0]}, 0.5, ["first"]),
        ({0: WRONG[0]}, 1.0, ["everywhere", "first"]),
        ({}, 1.0, []),
    ],
)
def test_a_mistake_fits_unless_many_facts_are_right(submission: Plays, hidden: float, fitting: list[str]) -> None:
    assert names(suspects(submission).fitting(hidden)) == fitting


def test_a_mistake_may_have_to_change_certain_facts() -> None:
    found = suspects(WRONG)
    assert names(found.fitting(1.0, found.facts_of({"test_1"}))) == ["everywhere", "second"]
    assert found.fitting(1.0, found.facts_of(())) == []


def test_plays_with_few_other_mistakes_come_first() -> None:
    found = suspects({0: {"output": [0.0, 0.0]}, 1: {"output": [0.0, 0.0]}, 2: {"output": [0.0, 0.0]}})
    assert found.failing(0, [0, 1]) == [2, 1, 0]  # the shorter of two plays comes first
    assert found.failing(0, [0]) == [0, 2, 1]


def test_only_observed_facts_count() -> None:
    found = suspects({0: {"output": [0.0, 0.0]}, 1: raised("TypeError")})
    assert found.acting(0) == [0, 1, 2] and found.failing(0, [0]) == [0, 1]
    assert names(found.fitting(0.0)) == ["everywhere", "first"]


def test_a_sample_has_some_plays_of_each() -> None:
    found = suspects({number: {"output": [0.0, 0.0]} for number in range(3)})
    assert found.sample([0, 1, 3], 1) == [0, 2] and found.sample([0], 2) == [0, 1] and found.sample([0, 2], 9) == [0, 1, 2]
    assert found.sample([], 5) == suspects({}).sample([0, 1], 5) == []


def test_a_set_covers_all_wrong_facts_or_not() -> None:
    found = suspects(WRONG)
    assert found.cover([0, 2], 0.0) and not found.cover([1], 0.0) and not found.cover([], 0.0) and found.cover([1], 0.9)
    assert suspects({}).cover([], 0.0)
