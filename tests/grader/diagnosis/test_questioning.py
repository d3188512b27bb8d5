"""Tests of the plays of known mistakes: each is played once, and in float64 only if that can make a difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scripted import REFERENCE, Scripted, Seen, World

from normgrade.diagnosis.questioning import Questioning, Remembering, limited
from normgrade.diagnosis.records import Records
from normgrade.language.places import Place
from normgrade.oracle.cache import Cache
from normgrade.worker.wire.observation import Array, Foreign, Observation, Playable

RIGHT: list[Seen] = [{"output": [1.0, 2.0]}, {"output": [3.0, 4.0]}]
WORLD = World(RIGHT, {"halved": {0: {"output": [0.5, 1.0]}}, "refuses": {}}, exact={"halved": {0: {"output": [0.25, 1.0]}}})
KEY = "test_0", 0


@dataclass
class Player:
    """A player of the world's sources. `asked` records the numbers of the plays, each with true if it was in float64."""

    asked: list[tuple[int, bool]] = field(default_factory=list)

    def __call__(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]:
        oracle = Scripted(Cache(Path("nowhere"), b""), world=WORLD)
        for source, request in asked:
            self.asked.append((int(request.inputs["function"]), exactly))
            refusing = source == WORLD.known[1].source
            yield None if refusing else oracle.exactly(source, request) if exactly else oracle.natively(source, request)  # type: ignore[arg-type]


def questioning(player: Player) -> Questioning:
    return Questioning(WORLD.plays(), Records(Cache(Path("nowhere"), b""), WORLD.known, lambda mistake: mistake.name), player)


def test_native_and_exact_play_run_only_once() -> None:
    player = Player()
    mine = questioning(player)
    mine.see([(0, 0)], exactly=False)
    assert mine.records.of(0)[KEY].rough and player.asked == [(0, False)]
    mine.see([(0, 0)])
    mine.see([(0, 0)])
    assert not mine.records.of(0)[KEY].rough and player.asked == [(0, False), (0, True)]
    [numbers] = mine.records.of(0)[KEY].numbers
    assert (numbers.exact.tolist(), numbers.native.tolist()) == ([-0.75, -1.0], [-0.5, -1.0])


def test_close_results_are_not_played_in_float64() -> None:
    player = Player()
    questioning(player).see([(0, 1)])
    assert player.asked == [(1, False)]


def test_broken_mistake_has_no_effects() -> None:
    mine = questioning(Player())
    mine.see([(1, 0)])
    assert mine.records.of(1) == {} and mine.forecasts([(1, 0)]).each[1].facts.tolist() == []


def test_forecasts_cover_chosen_plays_or_all() -> None:
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


def test_array_above_the_size_limit_is_foreign() -> None:
    seen = WORLD.seen({}, 0)
    assert limited(seen, 8) == seen
    described = limited(seen, 7).values["output"]
    assert isinstance(seen.values["output"], Array) and isinstance(described, Foreign)


def test_bfloat16_counts_two_bytes_per_number() -> None:
    seen = Observation({Place("output"): Array(np.zeros(4, np.float32), "bfloat16")})
    assert limited(seen, 8) == seen
    assert isinstance(limited(seen, 7).values[Place("output")], Foreign)
