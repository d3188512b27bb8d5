"""Tests of the spreads that ship with an exercise: they match the computed ones, and every deviation is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgrade.language.places import Place
from normgrade.oracle.draws import Form, Forms, completed, forms_in
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.kept import request_key
from normgrade.oracle.shipped import Recorded, Shipped, bits_lost, deviations, moved_by, shipped
from normgrade.worker.wire.observation import Array, Cause, Error, Observation, Value
from normgrade.worker.wire.requests import DRAWN, Action, FunctionCall, LayerStep, LayerStory, NewLayer, TypedRequest

Y = Array(np.array([[1.0, -2.0], [0.0, np.inf]]), "float64")
SPREAD = np.array([[1e-8, 3e-7], [1e-9, np.inf]])
ASKED = FunctionCall("f", [Array(np.ones(2, np.float32), "float32")])
EXPECTED = {
    Place("result"): Expected(Y, "float16", SPREAD, 2 * SPREAD, 0.5),
    Place("count"): Expected(Array(np.array(3), "int64"), "int64"),
    Place("word"): Expected("yes"),
}
EXPECTATION = Expectation(ASKED, EXPECTED, Error(Cause.RAISED, "no", ("ValueError",), (), 1), sound=True)
NAME = "a" * 64
RECORDED: Recorded = {NAME: (ASKED, EXPECTATION)}


def written(path: Path, recorded: Recorded = RECORDED) -> Shipped:
    path.write_bytes(shipped(recorded))
    return Shipped.of(path)


def with_spread(spread: np.ndarray) -> Recorded:
    place = Place("result")
    places = {**EXPECTED, place: replace(EXPECTED[place], spread=spread)}
    return {NAME: (ASKED, replace(EXPECTATION, places=places))}


@pytest.mark.parametrize(("numbers", "slack", "most"), [(1, True, 2 ** (1 / 8)), (1, False, 2 ** (1 / 2)), (2000, False, 2)])
@given(y=st.floats(-1e30, 1e30), movement=st.floats(0, 1e30), moved=st.floats(-1e-15, 1e-15))
def test_a_movement_is_rounded_up_by_little(numbers: int, slack: bool, most: float, y: float, movement: float, moved: float) -> None:
    """Check this also with a y that differs in its last bits."""
    values = np.full(numbers, y)
    kept = bits_lost(Array(values, "float64"), np.full(numbers, movement), slack)
    found = moved_by(values * (1 + moved), kept)[0]
    base = 2.0**-24 * abs(y) + 2.0**-149
    assert (movement + base) * (1 - 1e-9) <= found + base <= (movement + base) * most * (1 + 1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("y", [0, 1e-3, -1e3])
def test_a_movement_in_less_precision_is_kept(dtype: type[np.floating], y: float) -> None:
    values = np.array([y], dtype)
    movement = np.array([2.0**-12])
    assert movement * (1 - 1e-9) <= moved_by(values, bits_lost(Array(values, np.dtype(dtype).name), movement)) <= 2 * movement


@pytest.mark.parametrize("movement", [np.inf, np.nan])
def test_a_number_that_moves_without_bound_stays_open(movement: float) -> None:
    for y in (0.0, 1.0, np.inf, np.nan):
        assert moved_by(np.array([y]), bits_lost(Array(np.array([y]), "float64"), np.array([movement]))) == [np.inf]


def test_a_number_that_does_not_move_stays_exact() -> None:
    y = np.array([0.0, 1.0, -3e30])
    assert not moved_by(y, bits_lost(Array(y, "float64"), np.zeros(3))).any()


def test_an_expectation_comes_back(tmp_path: Path) -> None:
    found = written(tmp_path / "spreads.xz")
    entry = found.get(NAME)
    assert entry is not None and entry.sound and entry.error == EXPECTATION.error and entry.largest_bytes == 32
    places = found.places(entry, Observation({place: each.value for place, each in EXPECTED.items()}))
    assert places is not None and [*places] == [*EXPECTED]
    result = places[Place("result")]
    assert (result.dtype, result.error, result.value) == ("float16", 0.5, Y)
    assert result.spread is not None and result.slack is not None
    base = 2.0**-24 * np.abs(Y.values) + 2.0**-149
    for kept, movement in ((result.spread, SPREAD), (result.slack, 2 * SPREAD)):
        np.testing.assert_allclose(np.log2((kept + base)[:, 0] / (movement + base)[:, 0]), 0.25, atol=0.25)
        assert kept[1, 1] == np.inf
    assert places[Place("word")].value == "yes" and places[Place("count")].spread is None
    assert found.get("b" * 64) is None


def test_another_play_than_the_recorded_has_no_places(tmp_path: Path) -> None:
    found = written(tmp_path / "spreads.xz")
    entry = found.get(NAME)
    assert entry is not None
    assert found.places(entry, Observation({})) is None
    values: dict[str, Value] = {place: each.value for place, each in EXPECTED.items()}
    assert found.places(entry, Observation({**values, Place("result"): Array(np.ones(3), "float64")})) is None


def test_the_same_expectations_give_the_same_bytes() -> None:
    assert shipped(RECORDED) == shipped(RECORDED)


@pytest.mark.parametrize("content", [None, b"", b"nonsense", shipped(RECORDED)[:200]])
def test_a_file_that_cannot_be_read_holds_nothing(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "spreads.xz"
    if content is not None:
        path.write_bytes(content)
    assert not Shipped.of(path).entries


def of(recorded: Recorded) -> Shipped:
    return Shipped.read(shipped(recorded))


@pytest.mark.parametrize("spread", [SPREAD, 1.5 * SPREAD])
def test_small_changes_are_no_deviations(spread: np.ndarray) -> None:
    assert list(deviations(of(RECORDED), of(with_spread(spread)), RECORDED)) == []


def test_sample_of_the_spreads_can_be_recomputed() -> None:
    wide, other = with_spread(100 * SPREAD)[NAME], "b" * 64
    both = {NAME: RECORDED[NAME], other: wide}
    assert list(deviations(of(both), of({other: wide}), both)) == []
    assert list(deviations(of(both), of({other: RECORDED[NAME]}), both)) == ["3 of 8 spreads differ by more than a factor of 4."]


@pytest.mark.parametrize(
    ("recorded", "message"),
    [
        ({}, "0 of 0 requests are missing, and 1 are not asked any more."),
        ({"b" * 64: RECORDED[NAME]}, "1 of 1 requests are missing, and 1 are not asked any more."),
        (with_spread(100 * SPREAD), "3 of 8 spreads differ by more than a factor of 4."),
        ({NAME: (ASKED, replace(EXPECTATION, error=None))}, "1 request has other forms."),
        ({NAME: (ASKED, replace(EXPECTATION, places={}))}, "1 request has other forms."),
    ],
)
def test_deviation_is_reported(recorded: Recorded, message: str) -> None:
    assert list(deviations(of(RECORDED), of(recorded), recorded)) == [message]


@pytest.mark.parametrize(
    "request_",
    [
        NewLayer("Norm", draw="key"),
        LayerStory("Norm", steps=[LayerStep(Action.TRAIN, Array(np.ones((2, 2), np.float32), "float32"), upstream=DRAWN)], draw="key"),
        LayerStory("Norm", steps=[LayerStep(Action.CHANGE, state=DRAWN)], dtype="bfloat16", draw="key"),
        FunctionCall("f", upstream=DRAWN, draw="key"),
    ],
)
def test_request_is_completed_from_recorded_forms(request_: TypedRequest) -> None:
    state = {"weight": Form((2,), "float32"), "count": Form((), "int64")}
    layered = isinstance(request_, LayerStory | NewLayer)
    whole = completed(request_, Forms(state if layered else {}, {1: Form((2, 2), "float32")}))
    assert request_key(completed(request_, forms_in(request_, whole))) == request_key(whole)
