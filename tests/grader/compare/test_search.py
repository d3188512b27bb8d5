"""The search: the fewest mistakes that explain most; what several do together is played only where their effects overlap."""

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


def test_nothing_is_found_where_nothing_is_wrong_or_nothing_is_known() -> None:
    assert world().best({}) == []
    assert world().best({0: {"output": SHIFTED}}) == []


def test_mistakes_that_show_apart_need_no_play_in_any_number() -> None:
    here = world()
    seen: Plays = {
        0: {"output": DOUBLED},
        1: {"output": DOUBLED},
        2: {"state": [0.5, 0.25]},
        3: {"output": [12.0, 14.0, 18.0]},
        4: raised("TypeError"),
    }
    assert here.best(seen) == [{"doubled", "state-lost", "crashes", "shifted"}] and here.asked == []


def test_where_effects_overlap_the_mistakes_are_played_together() -> None:
    both = {0: {"output": DOUBLED}, 1: {"output": [-2.0, -4.0, -6.0]}}
    here = world(together={frozenset({"doubled", "negated"}): both})
    assert here.best(both) == [{"doubled", "negated"}]
    assert here.asked == [(frozenset({"doubled", "negated"}), 1)]


def test_what_they_do_only_together_is_played_before_they_are_given_up() -> None:
    both = {0: {"output": DOUBLED}, 1: {"output": DOUBLED}, 2: {"state": [0.5, 0.125]}}
    here = world(together={frozenset({"doubled", "state-lost"}): both})
    assert here.best(both) == [{"doubled", "state-lost"}]


def test_a_mistake_is_no_candidate_where_what_it_changes_is_right() -> None:
    assert world().best({1: {"output": DOUBLED}}) == []


def test_a_known_mistake_is_found_beside_an_unknown_one() -> None:
    here = world()
    assert here.best({2: {"state": [0.5, 0.25]}, 3: {"output": [7.0, 7.0, 7.0]}}) == [{"state-lost"}]


def test_an_error_that_nobody_knows_hides_what_comes_after_it_alone() -> None:
    assert world().best({0: {"output": DOUBLED}, 1: raised("KeyError")}) == [{"doubled"}]


def test_mistakes_that_do_the_same_are_both_found() -> None:
    twins = World(PLAYS, {"one": {0: {"output": DOUBLED}}, "other": {0: {"output": DOUBLED}}})
    assert sorted(map(sorted, twins.best({0: {"output": DOUBLED}}))) == [["one"], ["other"]]
