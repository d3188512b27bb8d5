"""The order of the searches: they end when a guess explains everything, or when the deadline passes."""

from __future__ import annotations

from dataclasses import replace

from scripted import World

from normgrade.diagnosis.best import best
from normgrade.diagnosis.deadline import Deadline
from normgrade.diagnosis.search import Clock

RIGHT = [{"output": [1.0, 2.0, 3.0]}] * 3
WORLD = World(
    RIGHT,
    {
        "doubled": {0: {"output": [2.0, 4.0, 6.0]}, 1: {"output": [2.0, 4.0, 6.0]}},
        "negated": {1: {"output": [-1.0, -2.0, -3.0]}},
        "shifted": {2: {"output": [11.0, 12.0, 13.0]}},
    },
)


def test_a_single_mistake_that_explains_everything_ends_the_search() -> None:
    search = WORLD.search({2: {"output": [11.0, 12.0, 13.0]}})
    assert [guess.members for guess in best(search).guesses] == [(2,)] and search.plays == 0


def test_a_search_without_time_is_marked_as_stopped() -> None:
    search = WORLD.search({0: {"output": [2.0, 4.0, 6.0]}, 1: {"output": [2.0, 4.0, 6.0]}})
    search = replace(search, clock=Clock(Deadline.after(0.0)))
    assert best(search).guesses == [] and search.clock.stopped


def test_mistakes_suspected_together_are_tried_first() -> None:
    seen = {0: {"output": [7.0, 8.0, 9.0]}, 2: {"output": [11.0, 12.0, 13.0]}}
    both = frozenset({"doubled", "shifted"})
    world = World(
        RIGHT, {**WORLD.mistakes, "shifted": {0: {"output": [5.0, 5.0, 5.0]}, **WORLD.mistakes["shifted"]}}, together={both: seen}
    )
    search = world.search(seen)
    found = best(search, (0, 2))
    assert found.search.in_doubt
    assert [guess.members for guess in found.guesses] == [(0, 2)] and search.plays == 2
