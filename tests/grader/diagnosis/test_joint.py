"""Several mistakes in one source: they are played together once, and compared with the observation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scripted import REFERENCE, World, raised

from normgrade.course.mistakes import Edit, Mistake
from normgrade.diagnosis.evidence import facts_in
from normgrade.diagnosis.joint import Joint
from normgrade.worker.wire.observation import Observation
from normgrade.worker.wire.requests import TypedRequest

PLAYS = [{"output": [1.0, 2.0, 3.0], "state": [5.0]}]
BOTH = frozenset({"doubled", "negated"})
WORLD = World(PLAYS, {"doubled": {0: {"output": [2.0, 4.0, 6.0]}}, "negated": {0: {"output": [-1.0, -2.0, -3.0]}}})


def joint(observed: list[float], together: list[float]) -> tuple[Joint, World]:
    world = World(PLAYS, WORLD.mistakes, together={BOTH: {0: {"output": together}}})
    return Joint(world.evidence({0: {"output": observed}}), REFERENCE, world.known, world.answers), world


def test_joint_results_agree_with_or_contradict_the_observation() -> None:
    one, _ = joint([-2.0, -4.0, -6.0], [-2.0, -4.0, -6.0])
    part = one.fit((0, 1), 0)
    assert part is not None and [*facts_in(part.active)] == [1] and part.contradicted == 0 and part.witnessed == {1: 3}
    other, _ = joint([-2.0, -4.0, -6.5], [-2.0, -4.0, -6.0])
    part = other.fit((0, 1), 0)
    assert part is not None and [*facts_in(part.contradicted)] == [1]


def test_mistakes_that_cancel_change_nothing() -> None:
    one, _ = joint([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    part = one.fit((0, 1), 0)
    assert part is not None and part.active == 0


def test_each_set_and_play_is_played_once() -> None:
    one, world = joint([-2.0, -4.0, -6.0], [-2.0, -4.0, -6.0])
    assert one.fit((0, 1), 0) is one.fit((0, 1), 0) and world.asked == [(BOTH, 0)]


def test_plays_are_made_ahead_until_there_are_enough() -> None:
    world = World(PLAYS * 4, {"doubled": {}, "negated": {}})
    one = Joint(world.evidence({0: {"output": [7.0, 7.0, 7.0]}}), REFERENCE, world.known, world.answers)
    one.play_all((((0, 1), number) for number in (2, 0, 2, 3, 1)), lambda: len(one.seen) == 3)
    assert [*one.seen] == [((0, 1), 2), ((0, 1), 0), ((0, 1), 3)]
    one.play_all([((0, 1), 0), ((0, 1), 1)])
    assert [number for _names, number in world.asked] == [2, 0, 3, 1]


def test_an_error_of_both_together_is_an_ending() -> None:
    world = World(PLAYS, {**WORLD.mistakes, "crashes": {0: raised("TypeError")}})
    one = Joint(world.evidence({0: raised("TypeError")}), REFERENCE, world.known, world.answers)
    part = one.fit((0, 2), 0)
    assert part is not None and [*facts_in(part.active)] == [4] and part.contradicted == 0


def test_impossible_sets_and_dead_plays_give_none() -> None:
    overlapping = [Mistake(name, "", f"{letter}{REFERENCE[1:]}", (Edit(0, 1, letter),)) for name, letter in (("a", "a"), ("b", "b"))]
    evidence = WORLD.evidence({0: {"output": [7.0, 7.0, 7.0]}})
    assert Joint(evidence, REFERENCE, overlapping, WORLD.answers).fit((0, 1), 0) is None

    def dead(asked: Iterable[tuple[str, TypedRequest]]) -> Iterator[Observation | None]:
        return (None for _ in asked)

    assert Joint(evidence, REFERENCE, WORLD.known, dead).fit((0, 1), 0) is None
