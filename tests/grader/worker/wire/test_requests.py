"""Tests of requests: each converts to plain data and back, and open upstream gradients can be filled in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgrade.worker.wire import messages
from normgrade.worker.wire.observation import Array, Request
from normgrade.worker.wire.requests import (
    DRAWN,
    Action,
    FunctionCall,
    LayerStep,
    LayerStory,
    NewLayer,
    OwnProbe,
    TypedRequest,
    layer_step,
    typed,
)

X, G = (Array(np.full((2, 3), value, np.float32), "float32") for value in (1.0, 2.0))
KEY = [0, "test", 0]
OPEN_STEPS = [LayerStep(Action.TRAIN, X, True, DRAWN), LayerStep(Action.RELOAD), LayerStep(Action.EVALUATE, X, upstream=G)]
OPEN: dict[str, tuple[TypedRequest, dict[str, Any]]] = {
    "layer_story": (
        LayerStory("Norm", [3], {"eps": 0.1}, "float16", {"weight": X}, ["count"], OPEN_STEPS, ignored=["free"], draw=KEY),
        {
            "layer": "Norm", "args": [3], "kwargs": {"eps": 0.1}, "state": {"weight": X}, "watch": ["count"],
            "steps": [
                {"do": "train", "x": X, "scattered": True, "upstream": "drawn"},
                {"do": "reload"},
                {"do": "evaluate", "x": X, "scattered": False, "upstream": G},
            ],
            "dtype": "float16", "ignored": ["free"], "draw": KEY,
        },
    ),
    "function_call": (
        FunctionCall("rms", [X, (1, None)], {"dim": -1}, DRAWN, KEY),
        {"function": "rms", "args": [X, (1, None)], "kwargs": {"dim": -1}, "upstream": "drawn", "draw": KEY},
    ),
    "new_layer": (NewLayer("Norm", [3], {"eps": 0.1}, draw=KEY), {"layer": "Norm", "args": [3], "kwargs": {"eps": 0.1}, "draw": KEY}),
    "block": (OwnProbe("block", {"x": X, "upstream": "drawn"}, KEY), {"x": X, "upstream": "drawn", "draw": KEY}),
}  # fmt: skip
COMPLETE: dict[str, tuple[TypedRequest, dict[str, Any]]] = {
    "layer_story": (
        LayerStory("Norm", [3], {}, state={"weight": X}, watch=["weight"], steps=[LayerStep(Action.TRAIN, X, upstream=None)]),
        {
            "layer": "Norm", "args": [3], "kwargs": {}, "state": {"weight": X}, "watch": ["weight"],
            "steps": [{"do": "train", "x": X, "scattered": False, "upstream": None}],
        },
    ),
    "function_call": (FunctionCall("rms", [X], {}, G), {"function": "rms", "args": [X], "kwargs": {}, "upstream": G}),
    "new_layer": (NewLayer("Norm", [], names=["weight"]), {"layer": "Norm", "args": [], "kwargs": {}, "names": ["weight"]}),
    "block": (OwnProbe("block", {"x": X, "steps": 3}), {"x": X, "steps": 3}),
}  # fmt: skip


@pytest.mark.parametrize("probe", OPEN)
@pytest.mark.parametrize("cases", [OPEN, COMPLETE], ids=["open", "complete"])
def test_request_converts_to_plain_data_and_back(probe: str, cases: dict[str, tuple[TypedRequest, dict[str, Any]]]) -> None:
    request, inputs = cases[probe]
    assert (request.probe, request.inputs) == (probe, inputs)
    assert list(request.inputs) == list(inputs)  # its numbers are perturbed in this order
    assert typed(Request(probe, inputs)) == request and typed(request) == request


@pytest.mark.parametrize("probe", COMPLETE)
def test_request_reaches_the_worker_unchanged(probe: str) -> None:
    request, _ = COMPLETE[probe]
    _, message = messages.decode(messages.PlayQuestion, messages.encode(messages.PlayQuestion(request, 9)), 2**16, 2**16)
    back = typed(message.request)
    assert type(back) is type(request) and list(back.inputs) == list(request.inputs)
    assert repr(back).replace(" ", "") == repr(request).replace(" ", "")


def test_plain_data_holds_plain_texts() -> None:
    [step] = COMPLETE["layer_story"][0].inputs["steps"]
    assert type(step["do"]) is str and type(OPEN["function_call"][0].inputs["upstream"]) is str


# Open upstream gradients


@pytest.mark.parametrize(
    ("probe", "undrawn"), [("layer_story", {1: "step 1 · output"}), ("function_call", {1: "result"}), ("block", {1: "result"})]
)
def test_open_upstream_gradient_is_filled_in(probe: str, undrawn: dict[int, str]) -> None:
    request = OPEN[probe][0]
    assert not isinstance(request, NewLayer) and request.undrawn == undrawn
    for drawn in (G, None):
        filled = request.with_upstream({1: drawn})
        inputs = filled.inputs["steps"][0] if probe == "layer_story" else filled.inputs
        assert inputs["upstream"] is drawn and filled.undrawn == {}


def test_given_gradient_stays() -> None:
    story = OPEN["layer_story"][0]
    assert isinstance(story, LayerStory)
    filled = story.with_upstream({1: None})
    assert [step.upstream for step in filled.steps] == [None, None, G] and filled.steps[1:] == story.steps[1:]


@pytest.mark.parametrize(
    "request_", [COMPLETE[probe][0] for probe in ("layer_story", "function_call", "block")], ids=lambda each: each.probe
)
def test_complete_request_stays_unchanged(request_: Any) -> None:
    assert request_.undrawn == {} and request_.with_upstream({}) == request_


@pytest.mark.parametrize("upstream", [3, None, G, "another text"])
def test_own_probe_may_have_another_upstream_input(upstream: object) -> None:
    assert OwnProbe("block", {"upstream": upstream}).undrawn == {}


# Parts


def test_opening_is_the_first_step_without_backward() -> None:
    story = OPEN["layer_story"][0]
    assert isinstance(story, LayerStory) and story.opening is not None
    assert story.opening.steps == [LayerStep(Action.TRAIN, X, True, None)] and story.opening.state == story.state
    assert LayerStory("Norm", steps=[LayerStep(Action.RELOAD)]).opening is None and LayerStory("Norm").opening is None


def test_own_probe_has_its_inputs_by_name() -> None:
    assert OwnProbe("story", {"x": 1, "kwargs": {"eps": 0.1}}).by_name == {"eps": 0.1}
    assert OwnProbe("story", {"x": 1}).by_name == {"x": 1}


def test_an_action_is_its_word() -> None:
    assert [str(action) for action in Action][:3] == ["train", "evaluate", "reload"]
    assert all(layer_step({"do": str(action)}).action is action for action in Action)


@pytest.mark.parametrize(
    ("probe", "inputs"),
    [
        ("layer_story", {}),
        ("layer_story", {"layer": "Norm", "steps": [{"x": 1}]}),
        ("layer_story", {"layer": "Norm", "steps": [{"do": "sleep"}]}),
        ("layer_story", {"layer": "Norm", "steps": [{"do": "train", "x": X, "upstream": "guessed"}]}),
        ("function_call", {"function": "f", "unknown": 1}),
        ("new_layer", {"args": []}),
    ],
)
def test_unsuitable_inputs_of_a_probe_are_refused(probe: str, inputs: dict[str, Any]) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        typed(Request(probe, inputs))


def test_missing_fields_of_a_step_have_defaults() -> None:
    assert layer_step({"do": "train", "x": X}) == LayerStep(Action.TRAIN, X, False, None)


@pytest.mark.parametrize(
    ("step", "inputs"),
    [
        (LayerStep(Action.CHANGE, state=DRAWN), {"do": "change", "state": "drawn"}),
        (LayerStep(Action.LOAD, state={"weight": X}), {"do": "load", "state": {"weight": X}}),
        (LayerStep(Action.LEARN, rate=0.5), {"do": "learn", "rate": 0.5}),
        (
            LayerStep.on(Action.TRAIN, X, view="strided", gradients="no_grad", frozen=True, constant=True, witness=True, again=True),
            {
                "do": "train", "x": X, "scattered": False, "upstream": None, "view": "strided", "gradients": "no_grad", "frozen": True,
                "constant": True, "witness": True, "again": True,
            },
        ),
        (
            LayerStep.on(Action.EVALUATE, X, G, scattered=True, upstream=G, freeze=2, detach=1, names=["x", "style"], steep=True),
            {
                "do": "evaluate", "x": X, "scattered": True, "upstream": G, "frozen": "2", "constant": "1", "steep": True, "more": [G],
                "names": ["x", "style"],
            },
        ),
    ],
)  # fmt: skip
def test_step_inputs_list_only_unusual_fields(step: LayerStep, inputs: dict[str, Any]) -> None:
    assert step.inputs == inputs and [*step.inputs] == [*inputs] and layer_step(inputs) == step
