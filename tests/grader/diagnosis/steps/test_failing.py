"""The choice of a failing play, and the part of it that is examined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from steps_case import NORM, call, edited, failed, numbers, played

from normgrade.diagnosis.steps.failing import failing_plays
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, FunctionCall, LayerStep, LayerStory

WRONG = edited((", correction=0", ""))
LAYER = """import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("seen", torch.zeros(features))

    def forward(self, x):
        if self.training:
            self.seen += x.mean(0)
            return x
        return x - self.seen
"""


def test_the_smallest_play_with_distinct_axes_comes_first() -> None:
    large, small, alike, tiny = call(4, 5, 7), call(2, 5, 7), call(5, 5), call(2, 3)
    found = failing_plays([failed(*(played(WRONG, request=request) for request in (large, tiny, alike, small)))])
    assert [each.request for each in found] == [small, large, alike, tiny]


def test_right_and_raising_plays_are_ignored() -> None:
    assert failing_plays([failed(played(NORM), played(edited(("x - mean", "x - meen"))))]) == []


def test_large_and_infinite_plays_are_ignored() -> None:
    spoilt = numbers(2, 5, 7)
    spoilt.values[0, 0, 0] = np.nan
    request = replace(call(2, 5, 7), args=[spoilt, *call(2, 5, 7).args[1:]])
    assert failing_plays([failed(played(WRONG, request=call(10, 11, 7)), played(WRONG, request=request))]) == []


def test_numbers_are_float64_and_forward_has_no_backward() -> None:
    [failing] = failing_plays([failed(played(WRONG))])
    x, upstream = failing.whole.inputs["args"][0], failing.whole.inputs["upstream"]
    assert isinstance(x, Array) and x.values.dtype == np.float64 and isinstance(upstream, Array)
    assert failing.forward.inputs["upstream"] is None and isinstance(failing.request, FunctionCall)


def test_a_story_ends_with_the_first_step_that_differs() -> None:
    steps = [LayerStep(action, numbers(4, 3)) for action in (Action.TRAIN, Action.EVALUATE, Action.EVALUATE)]
    story = LayerStory("Layer", [3], state={"seen": numbers(3)}, watch=["seen"], steps=steps)
    wrong = LAYER.replace("x - self.seen", "x + self.seen")
    [failing] = failing_plays([failed(played(wrong, LAYER, story))])
    assert isinstance(failing.request, LayerStory) and len(failing.request.steps) == 2
    wrong = LAYER.replace("x.mean(0)", "x.sum(0)")
    [failing] = failing_plays([failed(played(wrong, LAYER, story))])
    assert isinstance(failing.request, LayerStory) and len(failing.request.steps) == 1
