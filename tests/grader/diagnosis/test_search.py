"""The search for the fewest mistakes that explain the most. Several are played together only if their effects overlap."""

from __future__ import annotations

import pytest
from scripted import Plays, World, raised

PLAYS = [{"output": [1.0, 2.0, 3.0], "state": [5.0, 7.0]}] * 3 + [{"output": [2.0, 4.0, 8.0]}] * 2
DOUBLED, NEGATED, SHIFTED = [2.0, 4.0, 6.0], [-1.0, -2.0, -3.0], [11.0, 12.0, 13.0]


def world(**others: object) -> World:
    return World(
        PLAYS,
        {
            "doubled": {0: {"output": DOUBLED}, 1: {"output": DOUBLED}},
            "negated": {1: {"output": NEGATED}},
            "state-lost": {2: {"state": [0.5, 0.25]}},
            "crashes": {4: raised("TypeError")},
            "shifted": {3: {"output": [12.0, 14.0, 18.0]}},
        },
        **others,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("name", ["doubled", "negated", "state-lost", "crashes", "shifted"])
def test_one_mistake_is_found_without_any_play(name: str) -> None:
    here = world()
    assert here.best(here.mistakes[name]) == [{name}] and here.asked == []


def test_nothing_is_found_without_wrong_or_known_facts() -> None:
    assert world().best({}) == []
    assert world().best({0: {"output": SHIFTED}}) == []


def test_mistakes_without_overlap_need_no_play() -> None:
    here = world()
    seen: Plays = {
        0: {"output": DOUBLED},
        1: {"output": DOUBLED},
        2: {"state": [0.5, 0.25]},
        3: {"output": [12.0, 14.0, 18.0]},
        4: raised("TypeError"),
    }
    assert here.best(seen) == [{"doubled", "state-lost", "crashes", "shifted"}] and here.asked == []


def test_overlapping_mistakes_are_played_together() -> None:
    both = {0: {"output": DOUBLED}, 1: {"output": [-2.0, -4.0, -6.0]}}
    here = world(together={frozenset({"doubled", "negated"}): both})
    assert here.best(both) == [{"doubled", "negated"}]
    assert here.asked == [(frozenset({"doubled", "negated"}), 1)]


def test_joint_effects_are_played_before_giving_up() -> None:
    both = {0: {"output": DOUBLED}, 1: {"output": DOUBLED}, 2: {"state": [0.5, 0.125]}}
    here = world(together={frozenset({"doubled", "state-lost"}): both})
    assert here.best(both) == [{"doubled", "state-lost"}]


def test_a_mistake_needs_all_its_facts_wrong() -> None:
    assert world().best({1: {"output": DOUBLED}}) == []


def test_a_known_mistake_is_found_beside_an_unknown_one() -> None:
    here = world()
    assert here.best({2: {"state": [0.5, 0.25]}, 3: {"output": [7.0, 7.0, 7.0]}}) == [{"state-lost"}]


def test_an_unknown_error_hides_only_its_later_facts() -> None:
    assert world().best({0: {"output": DOUBLED}, 1: raised("KeyError")}) == [{"doubled"}]


def test_mistakes_with_the_same_effect_are_both_found() -> None:
    twins = World(PLAYS, {"one": {0: {"output": DOUBLED}}, "other": {0: {"output": DOUBLED}}})
    assert sorted(map(sorted, twins.best({0: {"output": DOUBLED}}))) == [["one"], ["other"]]
