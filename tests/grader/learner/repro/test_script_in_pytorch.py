"""Scripts with PyTorch: the stories that need no probe, and the known names."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from normgrade.learner.repro.script_in_pytorch import aliases, is_plain
from normgrade.probes.layers import ALIASES
from normgrade.suite.story import Build, Part, build, copy, evaluate, function, linear, reload, request, train
from normgrade.worker.wire.requests import LayerStory

X = np.ones((2, 3), np.float32)


def test_aliases_are_those_of_the_probes() -> None:
    assert ast.literal_eval(aliases()) == ALIASES


@pytest.mark.parametrize(
    ("layer", "steps", "plain"),
    [
        (build(3), [train(X), reload(), evaluate(X, scattered=True)], True),
        (build(3), [train(X), copy()], False),
        (build(3), [train(X, view="strided")], False),
        (build(3).as_built(), [train(X)], False),
        (build(linear(3, 3)), [train(X)], False),
        (function("f"), [evaluate(X)], False),
    ],
)
def test_only_a_plain_story_needs_no_probe(layer: Build, steps: list[Part], plain: bool) -> None:
    story = request([layer, *steps], "Layer", 0)
    assert isinstance(story, LayerStory) and is_plain(story) == plain
