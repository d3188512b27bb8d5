"""What was played: compared once, and never mistaken for another play."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.compare import played
from normgrade.compare.differences import differences
from normgrade.compare.played import Played, Result
from normgrade.oracle.expectation import Expectation, Expected
from normgrade.report.report import Check, Outcome
from normgrade.worker.observation import Array, Observation, Request

EXPECTATION = Expectation(Request("layer_story", {}), {"output": Expected(Array(np.ones(2), "float64"), "float32", np.zeros(2))})


def seen(*numbers: float) -> Observation:
    return Observation({"output": Array(np.array(numbers, np.float32), "float32")})


def test_a_play_has_the_differences_of_its_observation() -> None:
    assert Played(seen(1, 1), EXPECTATION).differences == ()
    [found] = Played(seen(1, 2), EXPECTATION).differences
    assert (found.place, found.at, found.expected, found.actual, found.looks_like) == ("output", (1,), 1.0, 2.0, None)


def test_a_play_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Observation] = []

    def counting(observation: Observation, expectation: Expectation) -> object:
        compared.append(observation)
        return differences(observation, expectation)

    monkeypatch.setattr(played, "differences", counting)
    play = Played(seen(2, 2), EXPECTATION)
    assert compared == [] and play.differences is play.differences and compared == [play.observation]


def test_two_plays_of_the_same_numbers_are_two() -> None:
    one, other = Played(seen(1, 1), EXPECTATION), Played(seen(1, 1), EXPECTATION)
    assert one != other and {one: 1, other: 2}[one] == 1
    check = Check("test_x", "It holds.", "formula", Outcome.PASSED, 1)
    assert Result(check, (one,)) != Result(check, (one,))
