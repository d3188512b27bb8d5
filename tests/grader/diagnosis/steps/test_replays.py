"""Replays: their number is limited, and their outputs are read."""

from __future__ import annotations

import numpy as np
import pytest
from steps_case import NORM, case, edited

from normgrade.diagnosis.steps.replays import Spent, outputs_of, places_apart
from normgrade.diagnosis.steps.same_values import EXACT
from normgrade.worker.wire.observation import Array, Foreign, Put, Reason, Recording, Value

WRONG = edited((", correction=0", ""))


def test_a_budget_is_counted_in_replays() -> None:
    replays = case(WRONG).replays
    replays.left = 2
    assert replays.record(NORM) is not None and replays.record("x = ") is None
    with pytest.raises(Spent):
        replays.record(NORM)
    assert replays.played == 2


def test_a_whole_replay_has_gradients() -> None:
    replays = case(WRONG).replays
    forward, whole = replays.record(NORM), replays.record(NORM, whole=True)
    assert forward is not None and whole is not None
    assert {*outputs_of(whole)} - {*outputs_of(forward)} == {f"gradient of argument {number}" for number in (1, 2, 3)}


def test_values_are_put_into_a_source() -> None:
    replays = case(WRONG).replays
    recording = replays.record(NORM)
    assert recording is not None
    [mean] = [each for each in recording.records if each.values.shape == (2, 5, 1)][:1]
    changed = replays.put(NORM, [Put(mean.place, 0, Array(mean.values + 1, "float64"))])
    assert changed is not None and changed.records == ()
    assert places_apart(outputs_of(changed), outputs_of(recording), EXACT) == {"result"}


def test_only_floating_point_numbers_are_outputs() -> None:
    values: dict[str, Value] = {
        "a": Array(np.ones(2), "float64"),
        "b": Array(np.ones(2, np.int64), "int64"),
        "c": Foreign(Reason.TYPE, "list"),
        "d": 1.0,
    }
    assert {*outputs_of(Recording(values))} == {"a"}
    assert places_apart({}, {"a": np.ones(2)}, EXACT) == {"a"}
