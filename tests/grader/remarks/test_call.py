"""Failing calls, written as a learner would repeat them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgrade.remarks.call import call_in_words
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe, TypedRequest


def array(*shape: int, dtype: str = "float32") -> Array:
    return Array(np.zeros(shape, np.float32), dtype)


def step(action: Action = Action.TRAIN, x: Array | None = None, *more: Array, **rest: Any) -> LayerStep:
    return LayerStep.on(action, array(4, 7) if x is None else x, *more, **rest)


def story(*steps: LayerStep, layer: str = "BatchNorm", args: tuple[Any, ...] = (7,), **kwargs: Any) -> LayerStory:
    return LayerStory(layer, args, kwargs, steps=steps)


EVALUATED = step(Action.EVALUATE)
LATE = story(step(), step(), EVALUATED, LayerStep(Action.RELOAD), EVALUATED, momentum=0.3)


@pytest.mark.parametrize(
    ("request_", "number", "words"),
    [
        (story(step()), 1, "BatchNorm(7), input (4, 7)"),
        (story(EVALUATED, eps=0.1), 1, "BatchNorm(7, eps=0.1), input (4, 7), in evaluation mode"),
        (LATE, 3, "BatchNorm(7, momentum=0.3), after 2 batches in training, input (4, 7), in evaluation mode"),
        (LATE, 2, "BatchNorm(7, momentum=0.3), after 1 batch in training, input (4, 7)"),
        (LATE, 4, "BatchNorm(7, momentum=0.3), after 2 batches in training"),
        (
            LATE,
            5,
            "BatchNorm(7, momentum=0.3), after 2 batches in training, after its state dict was loaded, input (4, 7), in evaluation mode",
        ),
        (story(step()), "build", "BatchNorm(7)"),
        (story(step(), step(x=array(2, 7, dtype="float16"))), 2, "BatchNorm(7), after 1 batch in training, input float16 (2, 7)"),
        (story(LayerStep(Action.COPY), step(gradients="no_grad")), 2, "BatchNorm(7), as a copy, input (4, 7), under torch.no_grad()"),
        (story(LayerStep(Action.DOUBLE), step(scattered=True)), 2, "BatchNorm(7), after .double(), input (4, 7), not contiguous"),
        (story(step(), EVALUATED, layer="function", args=("softmax", 0)), 2, "softmax((4, 7), 0)"),
        (
            story(step(Action.TRAIN, array(4, 7), array(7), array(7)), layer="forward_backward", args=("forward",), eps=0.1),
            1,
            "forward((4, 7), (7,), (7,), eps=0.1)",
        ),
        (
            story(step(), layer="PreNorm", args=(6, [{"callable": "linear", "args": [6, 6]}, {"callable": "identity"}])),
            1,
            "PreNorm(6, [linear(6, 6), identity()]), input (4, 7)",
        ),
        (NewLayer("LayerNorm", ([3, 4],), {"bias": False}), None, "LayerNorm([3, 4], bias=False)"),
        (FunctionCall("min_max", (array(6, 5),), {"dim": 0}), None, "min_max((6, 5), dim=0)"),
        (OwnProbe("block", {"x": array(7), "alpha": 0.4, "upstream": "drawn"}), 1, "block(x=(7,), alpha=0.4)"),
    ],
)  # fmt: skip
def test_a_call_is_written_as_a_learner_would(request_: TypedRequest, number: int | str | None, words: str) -> None:
    assert call_in_words(request_, number) == words


def test_a_long_argument_is_cut() -> None:
    assert call_in_words(NewLayer("L", (list(range(100)),))).endswith("…)")
    assert len(call_in_words(NewLayer("L", (list(range(100)),)))) < 70
