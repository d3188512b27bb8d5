"""Evidence: the observed and the wrong facts, and each mistake's fit in them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted import Seen, World, raised

from normgrade.diagnosis.evidence import Evidence, evidence_of, facts_in, union
from normgrade.worker.wire.observation import Cause, Error

PLAYS: list[Seen] = [{"output": [1.0, 2.0, 3.0], "flag": True}, {"output": [4.0, 5.0, 6.0]}]  # facts 0 to 4, and 5 to 7
WORLD = World(
    PLAYS,
    {
        "doubled": {0: {"output": [2.0, 4.0, 6.0]}, 1: {"output": [8.0, 10.0, 12.0]}},
        "flagged": {0: {"flag": False}},
        "crashes": {1: raised("TypeError")},
    },
)


def sets(evidence: Evidence, number: int) -> tuple[list[int], list[int]]:
    """Return the facts that a mistake changes, and those of them that were observed to be different."""
    fit = evidence.fits[number]
    return [*facts_in(fit.active)], [*facts_in(fit.contradicted)]


def test_a_right_submission_contradicts_every_mistake() -> None:
    evidence = WORLD.evidence({})
    assert (evidence.wrong, evidence.checks) == (0, {}) and [*facts_in(evidence.reached)] == [0, 1, 2, 4, 5, 6, 7]
    assert [sets(evidence, number) for number in range(3)] == [([1, 6], [1, 6]), ([2], [2]), ([7], [7])]


def test_observations_support_or_contradict_a_mistake() -> None:
    evidence = WORLD.evidence({0: {"output": [2.0, 4.0, 6.0]}})
    assert [*facts_in(evidence.wrong)] == [1] and evidence.checks == {"test_0": 0b11111}
    assert sets(evidence, 0) == ([1, 6], [6]) and evidence.fits[0].witnessed == {1: 3}
    assert evidence.known & 0b10 and not evidence.known & 0b100


def test_facts_after_an_error_are_unknown() -> None:
    evidence = WORLD.evidence({1: raised("TypeError")})
    assert [*facts_in(evidence.reached)] == [0, 1, 2, 4, 7] and [*facts_in(evidence.wrong)] == [7]
    assert sets(evidence, 2) == ([7], []) and sets(evidence, 0) == ([1], [1])
    assert evidence.words(1 << 7) == {"TypeError"} and evidence.words(1) == set() and evidence.kinds(0b111) == {"output", "flag"}


@pytest.mark.parametrize("error", [Error(Cause.CRASHED, "killed"), Error(Cause.RAISED, "banned", ("ByHand", "RuntimeError"))])
def test_a_play_without_an_answer_gives_no_evidence(error: Error) -> None:
    evidence = WORLD.evidence({1: error})
    assert [*facts_in(evidence.reached)] == [0, 1, 2, 4] and evidence.wrong == 0 and [play.died for play in evidence.plays] == [False, True]


def test_facts_can_be_left_out() -> None:
    evidence = WORLD.evidence({0: {"output": [2.0, 4.0, 6.0], "flag": False}}).without(0b100)
    assert [*facts_in(evidence.wrong)] == [1] and sets(evidence, 1) == ([], []) and not evidence.reached & 0b100


def test_unknown_plays_give_no_evidence() -> None:
    results = WORLD.results({0: {"flag": False}})
    unknown = [replace(result, check=replace(result.check, name=f"other_{result.check.name}")) for result in results]
    evidence = evidence_of(unknown, WORLD.forecasts())
    assert (evidence.plays, evidence.wrong, evidence.checks) == ((), 0, {})


def test_facts_are_bits() -> None:
    assert [*facts_in(0b10110)] == [1, 2, 4] and union([0b1, 0b100, 0b1]) == 0b101 and union([]) == 0
