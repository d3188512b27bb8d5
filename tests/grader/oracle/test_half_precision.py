"""Tests of half precision: numbers move with the state that a layer stores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle_case import NORM, STORY, U, X, asked, numbers, numbers_of

from normgrade.language.places import Place
from normgrade.oracle.half_precision import with_rounded_state
from normgrade.oracle.inputs import perturbed
from normgrade.oracle.oracle import Oracle
from normgrade.suite.story import build, train
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory


@pytest.mark.parametrize(("dtype", "has_slack"), [("float32", False), ("float16", True), ("bfloat16", True)])
def test_half_precision_moves_with_its_state_too(oracle: Oracle, dtype: str, has_slack: bool) -> None:
    place = oracle.expectation(NORM, asked(build(8).to(dtype), train(X, dtype=dtype))).places[Place("output", step=1)]
    assert (place.slack is not None) == has_slack
    if place.slack is not None:
        moves = place.slack / np.abs(numbers(place.value)) / {"float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype]
        assert (moves > 0.2).all() and (moves < 2.5).all()


TRACKED = """
import torch
from torch import nn

class Tracked(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(1))

    def forward(self, x):
        if self.training:
            self.running_mean.copy_(x.mean())
        return x - self.running_mean
"""


def test_half_precision_moves_with_stored_state(oracle: Oracle) -> None:
    layer = LayerStory("Tracked", dtype="bfloat16", state={"running_mean": Array(np.zeros(1, np.float32), "bfloat16")})
    x = np.full(4, 3.0, np.float32)
    steps = [LayerStep(Action.TRAIN, Array(x, "bfloat16")), LayerStep(Action.EVALUATE, Array(x + 1, "bfloat16"))]
    slack = oracle.expectation(TRACKED, replace(layer, steps=steps)).places[Place("output", step=2)].slack
    assert slack is not None and (slack > 0.3 * 3 * 2.0**-8).all() and (slack < 3 * 3 * 2.0**-8).all()


@pytest.mark.parametrize("written", [True, False])
def test_part_of_the_state_can_move_by_itself(written: bool) -> None:
    story = replace(STORY, state={**STORY.state, "running_mean": Array(np.ones(100, np.float32), "float32")})
    rounded = with_rounded_state(story, ["weight"], U, 0, written)
    weight, count, x = numbers_of(rounded)
    assert (weight.values != 1).all() and count.values == 3 and (x.values == 2).all() and (rounded.state["running_mean"].values == 1).all()
    assert (weight.values == numbers_of(perturbed(STORY, U, seed=0))[0].values).all()
    assert rounded.rounding == ((U, 0) if written else ())
