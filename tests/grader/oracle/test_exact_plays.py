"""Tests of float64 plays that are queued and then played together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from normgrade.language.places import Absent, Place
from normgrade.oracle.cache import Cache
from normgrade.oracle.exact_plays import ExactPlays, decode, encode
from normgrade.oracle.kept import Damaged
from normgrade.worker.wire.observation import Array, Cause, Error, Foreign, Observation, Reason, Request, Value

SEEN = Observation({Place("result"): Array(np.array([0.1, 2.0]), "float64")})
ASKED = [Request("p", {"number": number}) for number in range(3)]


class Player:
    """A player that gives every request the same answer, and records the requests of each call."""

    def __init__(self, answer: Observation | None = SEEN) -> None:
        self.answer, self.asked = answer, list[list[Request]]()

    def __call__(self, requests: Iterable[Request]) -> Iterator[Observation | None]:
        self.asked.append(list(requests))
        return (self.answer for _request in self.asked[-1])


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path, b"k" * 32)


def test_first_need_plays_everything_owed(cache: Cache) -> None:
    player = Player()
    plays = ExactPlays(cache, player)
    for number, request in enumerate(ASKED):
        plays.owe(str(number), request)
    assert player.asked == []
    assert plays.of("1", ASKED[1]) is plays.of("2", ASKED[2]) is SEEN
    assert player.asked == [ASKED]


def test_play_that_was_never_owed_runs_when_needed(cache: Cache) -> None:
    player = Player()
    assert ExactPlays(cache, player).of("1", ASKED[1]) is SEEN and player.asked == [[ASKED[1]]]


def test_plays_are_kept(cache: Cache) -> None:
    ExactPlays(cache, Player()).of("1", ASKED[1])
    player = Player()
    again = ExactPlays(Cache(cache.folder, cache.key), player).of("1", ASKED[1])
    assert again is not None and player.asked == [] and again.values.keys() == SEEN.values.keys()


def test_play_without_an_answer_is_not_kept(cache: Cache) -> None:
    assert ExactPlays(cache, Player(None)).of("1", ASKED[1]) is None
    player = Player()
    assert ExactPlays(cache, player).of("1", ASKED[1]) is SEEN and len(player.asked) == 1


def test_a_damaged_entry_is_played_again(cache: Cache) -> None:
    cache.put("1", b"nonsense")
    assert ExactPlays(cache, Player()).of("1", ASKED[1]) is SEEN


def test_an_observation_comes_back() -> None:
    values: dict[str, Value] = {
        Place("output", step=1): Array(np.array([[0.1, np.nan], [np.inf, 1e300]]), "float64"),
        Place("x"): Array(np.array([1.0, 2.0]), "float64"),
        Place("again"): Array(np.array([1.0, 2.0]), "float64"),
        Place("count"): Array(np.array(3), "int64"),
        Place("word"): "word",
        Place("there"): True,
        Place("number"): 3,
        Place("nothing"): None,
        Place("gone"): Absent("weight", ("gamma",)),
        Place("other"): Foreign(Reason.TYPE, "list"),
    }
    seen = Observation(values, Error(Cause.RAISED, "no", ("ValueError",), (), 2))
    back = decode(encode(seen))
    assert [*back.values] == [*values] and back.error == seen.error
    for place, value in values.items():
        found = back.values[place]
        if isinstance(value, Array):
            assert isinstance(found, Array) and found.dtype == value.dtype and found.values.dtype == value.values.dtype
            assert found.values.tobytes() == value.values.tobytes() and found.values.shape == value.values.shape
        else:
            assert found == value and type(found) is type(value)


def test_equal_arrays_are_shared_and_float32_is_halved() -> None:
    wide = np.random.default_rng(0).standard_normal(1000)

    def size(*arrays: np.ndarray) -> int:
        return len(encode(Observation({Place(f"x{number}"): Array(values, "float64") for number, values in enumerate(arrays)})))

    assert size(wide, wide) < size(wide) + 100
    assert size(wide.astype(np.float32).astype(np.float64)) < 0.6 * size(wide)


@pytest.mark.parametrize("content", [b"", b"x", encode(SEEN)[:-3]])
def test_damaged_bytes_raise(content: bytes) -> None:
    with pytest.raises(Damaged):
        decode(content)
