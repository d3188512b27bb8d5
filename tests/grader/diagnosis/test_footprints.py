"""Footprints: the facts that each mistake changes, and their encoding for a file."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import Seen, World, raised

from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.footprints import decode, digest, encode
from normgrade.oracle.kept import Damaged

PLAYS: list[Seen] = [{"output": [1.0, 2.0, 3.0], "flag": True}, {"output": [4.0, 5.0, 6.0]}]
WORLD = World(
    PLAYS,
    {
        "doubled": {0: {"output": [2.0, 4.0, 6.0]}},
        "flagged": {0: {"flag": False}, 1: {"output": [5.0, 5.0, 6.0]}},
        "crashes": {1: raised("TypeError")},
        "unstable": {1: {"output": [4.0, 5.5, 6.0]}},
        "harmless": {},
    },
    exact={"unstable": {}},
)
FOOTPRINTS = WORLD.footprints()


@pytest.mark.parametrize(
    ("name", "facts"), [("doubled", [1]), ("flagged", [2, 6]), ("crashes", [7]), ("unstable", [6]), ("harmless", list[int]())]
)
def test_a_footprint_is_all_facts_that_a_mistake_changes(name: str, facts: list[int]) -> None:
    assert np.flatnonzero(FOOTPRINTS.marks[FOOTPRINTS.mistakes.index(name)]).tolist() == facts


@pytest.mark.parametrize(
    ("name", "plays"), [("doubled", {0}), ("flagged", {0, 1}), ("crashes", {1}), ("unstable", {1}), ("harmless", set[int]())]
)
def test_plays_that_a_mistake_changes(name: str, plays: set[int]) -> None:
    assert FOOTPRINTS.plays_of(name) == {(f"test_{number}", 0) for number in plays}


def test_footprints_of_some_mistakes_are_in_their_order() -> None:
    doubled, flagged, *others = WORLD.known
    some = FOOTPRINTS.among([flagged, doubled])
    assert some.mistakes == ("flagged", "doubled") and some.plays_of("doubled") == FOOTPRINTS.plays_of("doubled")
    whole = some.with_those(FOOTPRINTS.among(others)).among(WORLD.known)
    assert encode(whole) == encode(FOOTPRINTS)


def test_a_mistake_is_identified_by_name_and_source() -> None:
    doubled = WORLD.known[0]
    assert FOOTPRINTS.has(doubled)
    assert not FOOTPRINTS.has(Mistake("doubled", "", "another source")) and not FOOTPRINTS.has(Mistake("tripled", "", doubled.source))


def test_footprints_survive_encoding() -> None:
    back = decode(encode(FOOTPRINTS))
    assert encode(back) == encode(FOOTPRINTS) and back.mistakes == FOOTPRINTS.mistakes
    assert (back.layout.facts, back.layout.numbers, back.layout.keys) == ((5, 3), (3, 3), (("test_0", 0), ("test_1", 0)))
    assert (back.marks == FOOTPRINTS.marks).all() and (back.plays == FOOTPRINTS.plays).all() and (back.sources == FOOTPRINTS.sources).all()


@pytest.mark.parametrize("content", [b"", b"nonsense", encode(FOOTPRINTS)[:-30], encode(FOOTPRINTS)[:100]])
def test_other_bytes_are_damaged(content: bytes) -> None:
    with pytest.raises(Damaged):
        decode(content)


def test_footprints_of_no_mistakes_are_empty() -> None:
    none = FOOTPRINTS.among(())
    assert none.acts.shape == (0, 2) and decode(encode(none)).marks.shape == (0, 8)


def test_a_digest_separates_its_texts() -> None:
    assert digest("ab", "c") != digest("a", "bc") and digest("ab") == digest(b"ab") < 2**64
