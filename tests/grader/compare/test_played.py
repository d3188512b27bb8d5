"""A play is compared once, and knows if it ran to its end."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.compare.played import Played
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.report.report import ArrayDifference
from normgrade.worker.wire.observation import Array, Cause, Error, Foreign, Observation, Reason
from normgrade.worker.wire.requests import FunctionCall, NewLayer

EXPECTATION = Expectation(FunctionCall("f"), {Place("result"): Expected(Array(np.zeros(2), "float64"), "float64", np.zeros(2))})
SEEN = Observation({"result": Array(np.array([0.0, 1.0]), "float64")})
STOPPED = Observation(error=Error(Cause.RAISED, "so", ("ValueError",)))


def test_differences_are_computed_once() -> None:
    play = Played(SEEN, EXPECTATION)
    [found] = play.differences
    assert isinstance(found, ArrayDifference)
    assert (found.place, found.mismatched, found.at) == ("result", 1, (1,))
    assert play.differences is play.differences


@pytest.mark.parametrize(
    ("play", "ended"),
    [
        (Played(SEEN, EXPECTATION), True),
        (Played(STOPPED, EXPECTATION), False),
        (Played(STOPPED, EXPECTATION, ("ValueError",)), False),
        (Played(SEEN, EXPECTATION, ("ValueError",)), False),
    ],
)
def test_a_play_ends_if_nothing_is_raised_or_expected(play: Played, ended: bool) -> None:
    assert play.came_to_its_end is ended


def test_building_a_layer_is_no_working_call() -> None:
    assert Played(SEEN, EXPECTATION).worked and not Played(STOPPED, EXPECTATION).worked
    assert not Played(Observation(), Expectation(NewLayer("Norm"), {})).worked


def test_a_play_answers_if_its_first_array_is_one() -> None:
    assert Played(SEEN, EXPECTATION).answered and not Played(STOPPED, EXPECTATION).answered
    assert not Played(Observation({"result": None}), EXPECTATION).answered
    assert not Played(Observation({"result": Foreign(Reason.TYPE, "tuple")}), EXPECTATION).answered
    assert Played(Observation(), Expectation(FunctionCall("f"), {Place("result"): Expected(None, None)})).answered
