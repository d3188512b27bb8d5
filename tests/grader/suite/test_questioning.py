"""Questioning: a mistake is played once in a play, and in float64 only where that may make a difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scripted import REFERENCE, Scripted, Seen, World

from normgrade.language.places import Place
from normgrade.oracle.cache import Cache
from normgrade.suite.questioning import Questioning, Remembering, limited
from normgrade.suite.records import Records
from normgrade.worker.observation import Array, Foreign, Observation, Playable

RIGHT: list[Seen] = [{"output": [1.0, 2.0]}, {"output": [3.0, 4.0]}]
WORLD = World(RIGHT, {"halved": {0: {"output": [0.5, 1.0]}}, "refuses": {}}, exact={"halved": {0: {"output": [0.25, 1.0]}}})
KEY = "test_0", 0


@dataclass
class Player:
    """Plays the sources of the world. In `asked` are the numbers of the plays, and whether each was in float64."""

    asked: list[tuple[int, bool]] = field(default_factory=list)

    def __call__(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]:
        oracle = Scripted(Cache(Path("nowhere"), b""), world=WORLD)
        for source, request in asked:
            self.asked.append((int(request.inputs["function"]), exactly))
            refusing = source == WORLD.known[1].source
            yield None if refusing else oracle.exactly(source, request) if exactly else oracle.natively(source, request)  # type: ignore[arg-type]


def questioning(player: Player) -> Questioning:
    return Questioning(WORLD.plays(), Records(Cache(Path("nowhere"), b""), WORLD.known, lambda mistake: mistake.name), player)


def test_a_native_play_serves_the_one_in_float64_and_neither_is_made_twice() -> None:
    player = Player()
    mine = questioning(player)
    mine.see([(0, 0)], exactly=False)
    assert mine.records.of(0)[KEY].rough and player.asked == [(0, False)]
    mine.see([(0, 0)])
    mine.see([(0, 0)])
    assert not mine.records.of(0)[KEY].rough and player.asked == [(0, False), (0, True)]
    [numbers] = mine.records.of(0)[KEY].numbers
    assert (numbers.exact.tolist(), numbers.native.tolist()) == ([-0.75, -1.0], [-0.5, -1.0])


def test_what_is_close_is_not_played_in_float64() -> None:
    player = Player()
    questioning(player).see([(0, 1)])
    assert player.asked == [(1, False)]


def test_a_mistake_that_cannot_be_executed_changes_nothing() -> None:
    mine = questioning(Player())
    mine.see([(1, 0)])
    assert mine.records.of(1) == {} and mine.forecasts([(1, 0)]).each[1].facts.tolist() == []


def test_what_follows_is_told_for_these_plays_or_among_all() -> None:
    mine = questioning(Player())
    mine.see([(0, 0), (0, 1)])
    alone, among = mine.forecasts([(0, 0)]), mine.forecasts([(0, 0)], WORLD.footprints().layout)
    assert [sum(each.effects.layout.facts) for each in (alone, among)] == [3, 6]
    assert [each.effects.place.tolist() for each in (alone, among)] == [[1], [1]]


def test_each_source_is_played_once() -> None:
    player = Player()
    remembering, requests = Remembering(player), [play.expectation.request for _, play in WORLD.plays()]
    asked = [(REFERENCE, requests[0]), (REFERENCE, requests[1]), (REFERENCE, requests[0])]
    first = list(remembering.plays(iter(asked)))
    assert first[0] is first[2] and player.asked == [(0, False), (1, False)]
    more = [*asked, (WORLD.known[0].source, requests[1])]
    assert list(remembering.plays(more))[:3] == first and player.asked == [(0, False), (1, False), (1, False)]


def test_an_array_that_is_too_large_to_travel_is_described() -> None:
    seen = WORLD.seen({}, 0)
    assert limited(seen, 8) == seen
    described = limited(seen, 7).values["output"]
    assert isinstance(seen.values["output"], Array) and isinstance(described, Foreign)


def test_a_bfloat16_is_as_large_as_it_travels() -> None:
    seen = Observation({Place("output"): Array(np.zeros(4, np.float32), "bfloat16")})
    assert limited(seen, 8) == seen
    assert isinstance(limited(seen, 7).values[Place("output")], Foreign)
