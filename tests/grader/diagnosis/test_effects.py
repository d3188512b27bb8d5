"""Effects: the changes that each mistake causes, native and exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scripted import REFERENCE, Scripted, Seen, World, raised

from normgrade.compare.facts import facts_of, right_of
from normgrade.compare.played import Played
from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.effects import Effects, Layout, change_of, effects_of
from normgrade.language.errors import CourseError
from normgrade.oracle.cache import Cache
from normgrade.worker.wire.observation import Observation, Playable

PLAYS: list[Seen] = [{"output": [1.0, 2.0, 3.0], "flag": True}, {"output": [4.0, 5.0, 6.0]}]
WORLD = World(
    PLAYS,
    {
        "doubled": {0: {"output": [2.0, 4.0, 6.0]}},
        "flagged": {0: {"flag": False}},
        "crashes": {1: raised("TypeError")},
        "unstable": {1: {"output": [4.0, 5.5, 6.0]}},
        "harmless": {},
    },
    exact={"unstable": {}},
)


def changed(effects: Effects, name: str) -> tuple[dict[int, str], dict[int, tuple[list[float], list[float], bool]]]:
    """Return the words of a mistake by fact, and its exact and native numbers by fact, with a flag that they are unstable."""
    owner = effects.mistakes.index(name)
    rows = np.flatnonzero(effects.mistake == owner)
    words = {int(effects.fact[row]): effects.words[effects.word[row]] for row in rows}
    numbers = {}
    for row in np.flatnonzero(effects.owner == owner):
        here = slice(effects.starts[row], effects.starts[row + 1])
        numbers[int(effects.place[row])] = (effects.exact[here].tolist(), effects.native[here].tolist(), bool(effects.unstable[row]))
    return words, numbers


@pytest.mark.parametrize(
    ("name", "words", "numbers"),
    [
        ("doubled", {}, {1: ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], False)}),
        ("flagged", {2: "False"}, {}),
        ("crashes", {7: "TypeError at 1"}, {}),
        ("unstable", {}, {6: ([0.0, 0.0, 0.0], [0.0, 0.5, 0.0], True)}),
        ("harmless", {}, {}),
    ],
)
def test_effects_contain_only_changes(name: str, words: dict[int, str], numbers: dict[int, object]) -> None:
    assert changed(WORLD.effects(), name) == (words, numbers)


@pytest.mark.parametrize(("share", "played"), [(0.3, False), (0.8, True)])
def test_small_native_changes_are_not_played_in_float64(share: float, played: bool) -> None:
    limit = right_of(WORLD.expected(1), None).limits[1]
    slight: Seen = {"output": [4.0, 5.0 + share * float(limit), 6.0]}
    world = World(PLAYS, {"slight": {1: slight}}, exact={"slight": {1: {"output": [4.0, 7.0, 6.0]}}})
    words, numbers = changed(world.effects(), "slight")
    assert words == {} and [exact for exact, _, _ in numbers.values()] == ([[0.0, 2.0, 0.0]] if played else [])


@pytest.mark.parametrize(("second", "rough"), [(5.0, False), (5.5, True)])
def test_a_native_only_change_is_rough_unless_close(second: float, rough: bool) -> None:
    right = right_of(WORLD.expected(1), None)
    facts = facts_of(WORLD.seen({1: {"output": [4.0, second, 6.0]}}, 1), right)
    change = change_of(facts, None, right)
    assert change.rough == rough and [each.exact.tolist() for each in change.numbers] == [each.native.tolist() for each in change.numbers]
    assert not change_of(facts, facts, right).rough


@pytest.mark.parametrize("second", [5.0, 5.5])
def test_float64_results_can_be_left_out_again(second: float) -> None:
    right = right_of(WORLD.expected(1), None)
    natively, exactly = (facts_of(WORLD.seen({1: {"output": [4.0, number, 6.0]}}, 1), right) for number in (second, 7.0))
    alone, told = change_of(natively, None, right).natively(right), change_of(natively, exactly, right).natively(right)
    assert [(each.place, each.unstable, each.exact.tolist(), each.native.tolist()) for each in told.numbers] == [
        (each.place, each.unstable, each.exact.tolist(), each.native.tolist()) for each in alone.numbers
    ]
    assert told.words == alone.words


def test_wrong_numbers_outside_the_sample_survive_without_float64() -> None:
    numbers = [1.0] * 500
    world = World([{"output": numbers}], {})
    right = right_of(world.expected(0), None)
    wrong = [2.0 if index not in right.sampled else 1.0 for index in range(500)]
    facts = facts_of(world.seen({0: {"output": wrong}}, 0), right)
    assert len(change_of(facts, facts, right).natively(right).numbers) == 1


def test_the_layout_begins_with_its_first_play() -> None:
    layout = Layout.of(WORLD.plays()[1:])
    assert (layout.keys, layout.facts, layout.numbers) == ((("test_1", 0),), (3,), (3,))
    assert layout.first_fact == layout.first_number == {("test_1", 0): 0}


def test_a_play_is_identified_by_name_and_size() -> None:
    layout, right = WORLD.effects().layout, right_of(WORLD.expected(0), None)
    assert layout.fits(("test_0", 0), right)
    assert not layout.fits(("test_1", 0), right) and not layout.fits(("test_0", 1), right)


def test_a_mistake_that_cannot_be_executed_has_no_effects() -> None:
    class Refusing(Scripted):
        def natively(self, source: str, request: Playable, size_limit_bytes: int | None = None) -> Observation:
            if source != REFERENCE:
                raise CourseError("It cannot be executed.")
            return super().natively(source, request)

    play = (("test_0", 0), Played(Observation(), WORLD.expected(0)))
    effects = effects_of([play], REFERENCE, [Mistake("m", "", "y")], Refusing(Cache(Path("nowhere"), b""), world=WORLD))
    assert effects.mistakes == ("m",) and not len(effects.owner) and not len(effects.mistake)
