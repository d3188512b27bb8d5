"""The setting of a request: the layer's numbers by name, counts, inputs by step, weight and bias."""

from __future__ import annotations

import numpy as np

from normgrade.course.signature import Signature
from normgrade.remarks.context import setting_of
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe

CONTRACT = (Signature.parse("Norm(groups, size, eps=1e-5, momentum=0.1, affine=True)"),)


def array(*shape: int) -> Array:
    return Array(np.ones(shape, np.float32), "float32")


def test_a_story_gives_the_setting_of_its_layer() -> None:
    story = LayerStory(
        "Norm",
        [3, 6, 0.5],
        {"momentum": 0.25, "affine": True},
        state={"weight": array(6), "running": Array(np.array([0.125]), "float64")},
        steps=[LayerStep(Action.TRAIN, array(4, 6, 5)), LayerStep(Action.RELOAD), LayerStep(Action.EVALUATE, array(1, 6, 5))],
    )
    setting = setting_of(story, CONTRACT)
    assert setting.numbers == {"groups": 3.0, "eps": 0.5, "momentum": 0.25, "running": 0.125}  # a size is a count, and True is not a number
    assert setting.counts == (2, 4, 5, 6, 8, 10, 20, 24, 30, 40, 120)  # 2: six channels in three groups
    assert {number: x.shape for number, x in setting.inputs.items()} == {1: (4, 6, 5), 3: (1, 6, 5)}
    assert setting.weight is not None and setting.weight.shape == (6,) and setting.bias is None


def test_calls_and_probes_give_a_setting() -> None:
    called = setting_of(FunctionCall("f", [array(2, 3)], {"alpha": 0.3}), CONTRACT)
    assert (called.numbers, called.counts, called.inputs) == ({"alpha": 0.3}, (2, 3, 6), {})
    probed = setting_of(OwnProbe("block", {"x": array(5, 7), "alpha": 2.5, "name": "text", "flag": False}), CONTRACT)
    assert (probed.numbers, probed.counts) == ({"alpha": 2.5}, (5, 7, 35))
    handing_on = setting_of(OwnProbe("story", {"weight": array(5, 7), "beta": 2.5, "kwargs": {"eps": 0.5}}), CONTRACT)
    assert (handing_on.numbers, handing_on.counts) == ({"eps": 0.5}, (5, 7, 35))


def test_a_new_layer_gives_its_arguments() -> None:
    setting = setting_of(NewLayer("Norm", [3, 6], {"eps": 0.5}), CONTRACT)
    assert (setting.numbers, setting.counts, setting.weight) == ({"groups": 3.0, "size": 6.0, "eps": 0.5}, (), None)


def test_numbers_that_would_explain_anything_are_left_out() -> None:
    story = LayerStory("Norm", [], {"eps": 0.0, "momentum": 1.0, "size": float("inf")})
    assert setting_of(story, CONTRACT).numbers == {}
