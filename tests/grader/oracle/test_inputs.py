"""Tests of the numbers in a request: widened exactly, or moved by the unit roundoff."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_case import STORY, U, numbers_of

from normgrade.oracle.inputs import holds_non_finite, perturbed, widened
from normgrade.worker.wire.observation import Array


def test_numbers_are_widened_exactly_and_nothing_else_is_touched() -> None:
    wide = widened(STORY)
    weight, count, x = numbers_of(wide)
    assert weight.dtype == x.dtype == "float64" and weight.values.dtype == x.values.dtype == np.float64
    assert (weight.values == 1).all() and (x.values == 2).all()
    assert count is STORY.state["count"] and wide.inputs["args"] == [3, 0.1] and wide.probe == "layer_story"


def test_every_input_number_moves_by_the_unit_roundoff() -> None:
    weight, count, x = numbers_of(perturbed(widened(STORY), U, seed=0))
    moves = [(weight.values - 1) / U, (x.values - 2) / (2 * U)]
    assert all(0.8 < np.sqrt((move**2).mean()) < 1.2 and (move != 0).all() for move in moves)
    assert (moves[0] != moves[1]).all() and count.values == 3


def test_movement_depends_on_the_seed() -> None:
    first, again, other = (numbers_of(perturbed(widened(STORY), U, seed))[0].values for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).all()


@pytest.mark.parametrize(("bad", "few"), [(0, False), (1, True), (2, False), (4, False)])
def test_a_few_numbers_may_not_be_finite(bad: int, few: bool) -> None:
    values = np.where(np.arange(4) < bad, np.nan, 1.0)
    assert holds_non_finite({"steps": [{"x": Array(values, "float64")}]}) is few
