"""Tests of the envelope: the inputs and calls of a suite that reach the reference, and those that are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.probes.layers import go_back
from normgrade.verify.envelope import GRADIENT, Envelope, Range, holes, least, seen_by
from normgrade.worker.wire.observation import Request

LAYER = """
import torch


class RMSNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x):
        return x * self.weight
"""
PAIR = "def forward(x):\n    return 2 * x, None\n\n\ndef backward(dy, cache):\n    return (2 * dy,)\n"


@pytest.fixture
def rms_norm() -> Exercise:
    return Course.find().exercise("rms_norm")


@pytest.fixture
def in_numpy() -> Exercise:
    return Course.find().exercise("softmax_backward")


def module(source: str) -> ModuleType:
    found = ModuleType("reference")
    exec(source, vars(found))
    return found


REQUEST = Request("layer_story", {})


def of_layer(exercise: Exercise, play: Callable[[nn.Module], object]) -> Envelope:
    return seen_by(exercise, [REQUEST], lambda reference, _request: play(reference.RMSNorm()), module(LAYER))


def test_range_records_sizes_and_special_values() -> None:
    seen = Range()
    seen.add(np.array([[0.0, -3.0], [np.inf, 1e-9]]), "float64", ["stride 0"])
    seen.add(np.ones(5, np.float16), "float16", [])
    assert (seen.ranks, seen.lengths, seen.numbers) == ({1, 2}, {2, 5}, 5)
    assert (seen.smallest, seen.largest) == ({"float64": 1e-9, "float16": 1.0}, {"float64": 3.0, "float16": 1.0})
    assert seen.special == {"zero", "infinity", "stride 0"}
    assert str(seen) == "1…2 axes of 2…5, 5 numbers; float16 1e+00…1e+00, float64 1e-09…3e+00; infinity, stride 0, zero"


def test_calls_of_a_layer_are_recorded(rms_norm: Exercise) -> None:
    def play(layer: nn.Module) -> None:
        x = torch.ones(4, 3, requires_grad=True)
        outputs = [layer(x), layer(x * 2)]
        layer.training = False
        with torch.no_grad():
            layer(x[:, :1].expand(4, 3))
        layer.eval()
        layer.eval()
        outputs[1].sum().backward(retain_graph=True)
        go_back(outputs[0], torch.full((4, 3), 0.5), graph=True)
        layer(x)

    envelope = of_layer(rms_norm, play)
    assert envelope.most == {"calls of one layer": 4, "layers alive": 1, "calls waiting for their backward passes": 2}
    assert envelope.ways == {
        "mode by attribute",
        "mode asked for twice",
        "no grad",
        "create_graph",
        "gradients kept",
        "default dtype float32",
    }
    assert envelope.of("input").special == {"leaf", "no leaf", "stride 0", "another order"}
    assert envelope.of(GRADIENT).special == {"stride 0", "another order"}
    assert envelope.of("parameter weight").largest == {"float32": 2.0}


def test_nothing_is_recorded_afterwards(rms_norm: Exercise) -> None:
    envelope = of_layer(rms_norm, lambda layer: layer(torch.ones(2, 3)))
    before = [*envelope.lines()]
    nn.Linear(3, 3)(torch.ones(2, 3))
    assert [*envelope.lines()] == before and nn.Module.train.__name__ == "train"


def test_calls_of_a_function_pair_are_recorded(in_numpy: Exercise) -> None:
    def play(reference: Any, _request: object) -> None:
        reference.forward(np.ones((2, 3))[::-1])
        reference.backward(frozen, reference.forward(np.zeros(3, np.float16))[1])

    frozen = np.ones(3)
    frozen.flags.writeable = False
    envelope = seen_by(in_numpy, [REQUEST], play, module(PAIR.replace("forward", in_numpy.defines[0].name)))
    assert envelope.most == {"calls waiting for their backward passes": 2}
    assert envelope.of("input").special == {"negative strides", "another order", "zero"} and envelope.of(GRADIENT).special == {"read-only"}


def test_hole_names_a_situation_that_would_fill_it(rms_norm: Exercise) -> None:
    found = [*holes(rms_norm, of_layer(rms_norm, lambda layer: layer(torch.ones(2, 3, dtype=torch.float16))))]
    assert "never played: an input in float64; the situation `every_dtype` plays it." in found
    assert not any("an input in float16;" in each for each in found) and len(found) == len([*least(rms_norm)]) - 1


def test_hole_left_out_under_envelope_is_none(rms_norm: Exercise) -> None:
    without = replace(rms_norm, left_out_envelope={"an input in float64": "it has no such numbers", "an input in float16": "neither"})
    found = [*holes(without, of_layer(rms_norm, lambda layer: layer(torch.ones(2, 3, dtype=torch.float16))))]
    assert not any("an input in float64;" in each for each in found)
    assert found[-1] == "left out under [envelope], but it is played or not required: an input in float16."


def test_situation_left_out_with_a_reason_is_no_hole(rms_norm: Exercise) -> None:
    without = replace(rms_norm, left_out={"every_dtype": "a reason", "views": "another one"})
    assert not any("every_dtype" in each or "views" in each for each in holes(without, Envelope()))
