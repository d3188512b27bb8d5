"""Forecasts: the numbers of every mistake, their positions among those of all plays, and their tolerances."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import Seen, World

from normgrade.diagnosis.agreement import Agreement, agreement
from normgrade.diagnosis.forecasts import forecasts_of

PLAYS: list[Seen] = [{"output": [1.0, 2.0, 3.0], "flag": True}, {"output": [4.0, 5.0, 6.0]}]
WORLD = World(
    PLAYS,
    {
        "doubled": {0: {"output": [2.0, 4.0, 6.0]}, 1: {"output": [4.0, 5.0, 12.0]}},
        "flagged": {0: {"flag": False}},
        "unstable": {1: {"output": [4.0, 5.5, 6.0]}},
    },
    exact={"unstable": {}},
)
DOUBLED, FLAGGED, UNSTABLE = WORLD.forecasts().each


def held(got: list[float]) -> Agreement:
    """Compare the first mistake with all numbers of both plays."""
    off = np.array(got) - [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    return agreement(DOUBLED.forecast, off[DOUBLED.seen], (np.abs(off) > 1e-3)[DOUBLED.seen])


def test_every_mistake_has_a_forecast_of_its_facts() -> None:
    assert [each.facts.tolist() for each in (DOUBLED, FLAGGED, UNSTABLE)] == [[1, 6], [], [6]]
    assert [each.seen.tolist() for each in (DOUBLED, FLAGGED, UNSTABLE)] == [[0, 1, 2, 3, 4, 5], [], [3, 4, 5]]
    assert [each.forecast.unstable.tolist() for each in (DOUBLED, FLAGGED, UNSTABLE)] == [[False, False], [], [True]]


@pytest.mark.parametrize(
    ("got", "agrees", "witnessed"),
    [
        ([2.0, 4.0, 6.0, 4.0, 5.0, 12.0], [True, True], [3, 1]),
        ([2.0, 4.0, 6.0, 4.0, 5.0, 6.0], [True, False], [3, 0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 12.0], [False, True], [0, 1]),
    ],
)
def test_a_forecast_is_compared_with_the_observation(got: list[float], agrees: list[bool], witnessed: list[int]) -> None:
    found = held(got)
    assert (found.agrees.tolist(), found.witnessed.tolist()) == (agrees, witnessed)


def test_a_changed_play_has_no_tolerance() -> None:
    effects, plays = WORLD.effects(), WORLD.plays()
    plays_of_another: list[Seen] = [{"output": [1.0]}, PLAYS[1]]
    other = World(plays_of_another, WORLD.mistakes).plays()
    forecast = forecasts_of(effects, [other[0], plays[1]]).each[0].forecast
    assert np.isnan(forecast.permitted).tolist() == [True] * 3 + [False] * 3 and not forecast.settled[:3].any()
