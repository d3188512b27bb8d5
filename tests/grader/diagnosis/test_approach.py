"""The play-by-play search for many mistakes that have another effect together than separately."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import prod

import pytest
from scripted import Plays, World

from normgrade.diagnosis.approach import apart, approached, nearer
from normgrade.diagnosis.deadline import Deadline
from normgrade.diagnosis.search import Best, Clock, Search

RIGHT = [1.0, 2.0, 3.0]
FACTORS = {"doubled": 2.0, "negated": -1.0, "tripled": 3.0, "tenth": 0.1, "sevenfold": 7.0}
ACTS = {"doubled": (0, 2, 3, 4), "negated": (1, 2, 3, 4), "tripled": (3, 4), "tenth": (0, 1, 2, 3, 4), "sevenfold": (4,)}


def scaled(names: frozenset[str]) -> Plays:
    """Return the plays with these mistakes together: in every play, their factors are multiplied."""
    factors = {play: prod(FACTORS[name] for name in names if play in ACTS[name]) for play in range(5)}
    return {play: {"output": [factor * number for number in RIGHT]} for play, factor in factors.items() if factor != 1.0}


def world() -> World:
    sets = [frozenset(names) for size in range(2, 6) for names in combinations(FACTORS, size)]
    alone, together = {name: scaled(frozenset({name})) for name in FACTORS}, {each: scaled(each) for each in sets}
    return World([{"output": RIGHT}] * 5, alone, together=together)


def search_for(*names: str) -> Search:
    search = world().search(scaled(frozenset(names)))
    return search.doubting


def names_of(search: Search, members: tuple[int, ...]) -> set[str]:
    return {[*FACTORS][member] for member in members}


@pytest.mark.parametrize("names", [{"doubled", "negated", "tripled"}, {"doubled", "tenth", "negated", "sevenfold"}])
def test_many_mistakes_are_found_play_by_play(names: set[str]) -> None:
    search = search_for(*names)
    [found] = approached(Best(search, [])).guesses
    assert names_of(search, found.members) == names and found.complete


def test_guesses_stay_if_nothing_comes_nearer() -> None:
    search = world().search({0: {"output": [5.0, 5.0, 9.0]}})
    assert approached(Best(search, [])).guesses == [] and search.plays > 0


def test_the_nearest_sets_have_few_mistakes() -> None:
    search = search_for("doubled", "negated")
    assert [names_of(search, members) for members in nearer(search, (), 2, 4)] == [{"doubled", "negated"}]
    assert nearer(search, (), 2, 1) == []


def test_the_distance_is_summed_over_plays() -> None:
    search = search_for("doubled", "negated")
    both, one = (tuple([*FACTORS].index(name) for name in names) for names in (("doubled", "negated"), ("doubled",)))
    assert apart(search, both, range(5)) == 0.0
    first, *others = (apart(search, one, [number]) for number in (0, 1, 2))
    assert first == 0.0 and min(others) > 0.0 and apart(search, one, range(3)) == pytest.approx(sum(others))


def test_nothing_comes_nearer_after_the_deadline() -> None:
    search = search_for("doubled", "negated", "tripled")
    search = replace(search, clock=Clock(Deadline.after(0.0)))
    assert approached(Best(search, [])).guesses == []
