"""Many mistakes at once, which do something else together than alone: they are found play by play."""

from __future__ import annotations

from itertools import combinations
from math import prod

import pytest
from scripted import Plays, World

from normgrade.compare.approach import apart, approached, nearer
from normgrade.compare.deadline import Deadline
from normgrade.compare.search import Search

RIGHT = [1.0, 2.0, 3.0]
FACTORS = {"doubled": 2.0, "negated": -1.0, "tripled": 3.0, "tenth": 0.1, "sevenfold": 7.0}
ACTS = {"doubled": (0, 2, 3, 4), "negated": (1, 2, 3, 4), "tripled": (3, 4), "tenth": (0, 1, 2, 3, 4), "sevenfold": (4,)}


def scaled(names: frozenset[str]) -> Plays:
    """What these mistakes do together: in every play their factors are multiplied."""
    factors = {play: prod(FACTORS[name] for name in names if play in ACTS[name]) for play in range(5)}
    return {play: {"output": [factor * number for number in RIGHT]} for play, factor in factors.items() if factor != 1.0}


def world() -> World:
    sets = [frozenset(names) for size in range(2, 6) for names in combinations(FACTORS, size)]
    alone, together = {name: scaled(frozenset({name})) for name in FACTORS}, {each: scaled(each) for each in sets}
    return World([{"output": RIGHT}] * 5, alone, together=together)


def search_for(*names: str) -> Search:
    search = world().search(scaled(frozenset(names)))
    search.doubting = True
    return search


def names_of(search: Search, members: tuple[int, ...]) -> set[str]:
    return {[*FACTORS][member] for member in members}


@pytest.mark.parametrize("names", [{"doubled", "negated", "tripled"}, {"doubled", "tenth", "negated", "sevenfold"}])
def test_what_no_few_explain_is_found_play_by_play(names: set[str]) -> None:
    search = search_for(*names)
    [found] = approached(search, [])
    assert names_of(search, found.members) == names and found.complete


def test_what_comes_no_nearer_leaves_the_guesses_as_they_were() -> None:
    search = world().search({0: {"output": [5.0, 5.0, 9.0]}})
    search.doubting = True
    assert approached(search, []) == [] and search.plays > 0


def test_the_nearest_sets_that_explain_a_play_have_as_few_mistakes_as_possible() -> None:
    search = search_for("doubled", "negated")
    assert [names_of(search, members) for members in nearer(search, (), 2, 4)] == [{"doubled", "negated"}]
    assert nearer(search, (), 2, 1) == []


def test_how_far_mistakes_are_from_what_was_observed_is_the_sum_over_plays() -> None:
    search = search_for("doubled", "negated")
    both, one = (tuple([*FACTORS].index(name) for name in names) for names in (("doubled", "negated"), ("doubled",)))
    assert apart(search, both, range(5)) == 0.0
    first, *others = (apart(search, one, [number]) for number in (0, 1, 2))
    assert first == 0.0 and min(others) > 0.0 and apart(search, one, range(3)) == pytest.approx(sum(others))


def test_nothing_comes_nearer_once_the_time_is_over() -> None:
    search = search_for("doubled", "negated", "tripled")
    search.deadline = Deadline.after(0.0)
    assert approached(search, []) == []
