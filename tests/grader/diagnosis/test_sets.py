"""Sets of a few mistakes: they are played together if one changes the effects of the others, and few plays are enough."""

from __future__ import annotations

from scripted import Plays, World

from normgrade.diagnosis.search import MOST_AT_ONCE

RIGHT = [1.0, 2.0, 3.0]
DOUBLED, SHIFTED, NEGATED = [2.0, 4.0, 6.0], [11.0, 12.0, 13.0], [-1.0, -2.0, -3.0]
EVERYWHERE, MANY = range(15), range(12)
OTHERWISE: Plays = {number: {"output": [number + 3.0, 5.0, -7.0]} for number in MANY}
ALONE: dict[str, Plays] = {
    "doubled": {number: {"output": DOUBLED} for number in MANY},
    "shifted": {12: {"output": SHIFTED}},
    "negated": {13: {"output": NEGATED}},
    "doubled-too": {number: {"output": DOUBLED} for number in (*MANY, 14)},
}


def world(*together: str) -> World:
    """Return a world in which these mistakes have another effect in many plays if they are made together."""
    seen = {number: play for name in together if name != "doubled" for number, play in ALONE[name].items()}
    return World([{"output": RIGHT}] * len(EVERYWHERE), ALONE, together={frozenset(together): {**seen, **OTHERWISE}})


def test_a_pair_that_interacts_is_played() -> None:
    here = world("doubled", "shifted")
    assert here.best({12: {"output": SHIFTED}, **OTHERWISE}) == [{"doubled", "shifted"}]
    assert len(here.asked) <= MOST_AT_ONCE


def test_three_mistakes_that_interact_are_approached() -> None:
    here = world("doubled", "shifted", "negated")
    assert here.best({12: {"output": SHIFTED}, 13: {"output": NEGATED}, **OTHERWISE}) == [{"doubled", "shifted", "negated"}]
    assert len(here.asked) <= 2 * MOST_AT_ONCE
