"""Places: texts that keep their parts in copies, pickles and probes, and their words in the current language."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.language import speak
from normgrade.language.places import (
    BUILD,
    GENERIC,
    Absent,
    Place,
    filled,
    gradient_of,
    learnt_in_words,
    place_in_words,
    step_in_words,
    template_in_words,
)
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.probes.arrays import calls_apart, forward_backward
from normgrade.probes.layers import function_call, layer_story, new_layer
from normgrade.suite.story import Story, build, call, evaluate, probe, request, train

OF_SUBLAYER = gradient_of("the sublayer's {name}", step=2, name="0.weight")
WORDS = {"gradient of the sublayer's {name}": "子层 {name} 的梯度", "the sublayer's {name}": "子层的 {name}", "numbers": "数值"}
PLACES = [Place("output"), Place("length of {one} × {other}", one="u", other="v"), Place("{name}", step=3, name="a {b}"), OF_SUBLAYER]


@pytest.fixture
def chinese() -> None:
    speak("zh")


# The text and its parts


def test_a_place_is_its_english_text() -> None:
    assert PLACES == ["output", "length of u × v", "step 3 · a {b}", "step 2 · gradient of the sublayer's 0.weight"]
    seen: dict[str, int] = {Place("output", step=1): 7}
    assert seen["step 1 · output"] == 7 and json.loads(json.dumps({OF_SUBLAYER: 1})) == {str(OF_SUBLAYER): 1}


def test_a_place_knows_its_parts() -> None:
    assert (OF_SUBLAYER.template, OF_SUBLAYER.learnt) == ("gradient of the sublayer's {name}", "the sublayer's {name}")
    assert (OF_SUBLAYER.step, dict(OF_SUBLAYER.names)) == (2, {"name": "0.weight"})
    plain = Place("a plain text in {braces}")
    assert (plain, plain.template, plain.step, plain.learnt, plain.names) == ("a plain text in {braces}", plain.template, None, None, {})


def test_names_are_texts() -> None:
    assert Place("row {number}", number=3).names == {"number": "3"} and Place("row {number}", number=3) == "row 3"


@pytest.mark.parametrize("place", PLACES)
def test_copies_and_pickles_carry_the_parts(place: Place) -> None:
    for other in (copy.copy(place), copy.deepcopy(place), *(pickle.loads(pickle.dumps(place, protocol)) for protocol in (2, 4, 5))):
        assert type(other) is Place and other == place and vars(other) == vars(place)


@pytest.mark.parametrize("place", PLACES)
def test_a_place_can_be_moved_to_another_step(place: Place) -> None:
    later = place.at(7)
    assert later == f"step 7 · {place.at(None)}" and later.step == 7 and later.at(place.step) == place
    assert (later.template, later.names, later.learnt) == (place.template, place.names, place.learnt)


def test_a_moved_place_is_cached_but_not_pickled() -> None:
    place = Place("length of {name}", name="u")
    before = pickle.dumps(place)
    assert place.at(3) is place.at(3)
    assert place.at(3).at(None) == place
    assert pickle.dumps(place) == before


def test_every_key_of_a_probe_is_a_place() -> None:
    assert Place.of(OF_SUBLAYER) is OF_SUBLAYER
    assert [Place.of(key) for key in ("calls", 3)] == ["calls", "3"] and Place.of("calls").template == "calls"


# The places of probes


class Moments(NamedTuple):
    mean: float
    var: float


class Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


def test_every_generic_place_has_words() -> None:
    x, state = torch.ones(3, 2), {"weight": torch.ones(2)}
    step = {"do": "train", "x": x, "upstream": x, "scattered": False}
    impl = SimpleNamespace(
        Scale=Scale,
        product=torch.mul,
        twice=lambda x: 2 * x,
        both=lambda x: (x, x),
        moments=lambda x: Moments(1.0, 2.0),
        pair=lambda x: (x, None),
        backward=lambda dy, cache: (dy,),
    )
    on_arrays = {**step, "x": x.numpy(), "upstream": x.numpy()}
    seen = [
        *new_layer(impl, "Scale", [], {}, ["weight"]),
        *layer_story(impl, "Scale", [], {}, state, ["weight"], [step, {**step, "witness": True, "overwritten": True}, {"do": "settings"}]),
        *layer_story(impl, "function", ["product"], {}, {}, [], [{**step, "more": [x]}]),
        *(place for name in ("twice", "both", "moments") for place in function_call(impl, name, [x], {}, x)),
        *forward_backward(impl, "forward_backward", ["pair"], {}, {}, [], [on_arrays, {"do": "settings"}]),
        *calls_apart(SimpleNamespace(forward=impl.pair, backward=impl.backward), [x.numpy()], x.numpy(), calls=[[]]),
    ]
    places = [place for place in seen if isinstance(place, Place)]
    templates = {template for place in places for template in (place.template, place.learnt) if template is not None}
    assert len(places) == len(seen)
    assert templates == GENERIC


def test_places_survive_the_oracle_and_its_cache(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("centring")
    x = np.ones((2, 3), np.float32)
    stories: tuple[Story, ...] = ([build(3)], [build(3), train(x), evaluate(x)])
    reference, layer = read_text(exercise.reference), exercise.defines[0].name
    for _ in ("computed", "kept"):
        oracle = Oracle(Cache(tmp_path, bytes(32)))
        places = [place for story in stories for place in oracle.expectation(reference, request(story, layer, 0)).places]
        assert gradient_of("input", step=1) in places and Place("output", step=2) in places
        assert [place_in_words(place) for place in places] == places
        assert [place.learnt for place in places if place == "step 1 · gradient of weight"] == ["{name}"]
        assert {place.step for place in places} == {None, 1, 2}


def test_places_of_an_exercise_keep_their_parts(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    assert exercise.probes is not None
    for _ in ("computed", "kept"):
        oracle = Oracle(Cache(tmp_path, bytes(32)), read_text(exercise.probes))
        asked = request([probe("row_by_row", x=np.ones((2, 3), np.float32))], "rms", 0)
        places = list(oracle.expectation(read_text(exercise.reference), asked).places)
        assert places == ["row 1", "row 2"] and [(place.template, place.names["number"]) for place in places] == [
            ("row {number}", "1"), ("row {number}", "2"),
        ]  # fmt: skip
    called = oracle.expectation(read_text(exercise.reference), request([call("rms", np.ones((2, 3), np.float32))], "rms", 0))
    assert [place.template for place in called.places] == ["argument {number} left alone", "result", "gradient of argument {number}"]


# In words


@pytest.mark.parametrize("place", PLACES)
def test_in_english_a_place_is_its_own_text(place: Place) -> None:
    assert place_in_words(place) == place and step_in_words(2) == "step 2" and step_in_words(BUILD) == "build"


@pytest.mark.usefixtures("chinese")
def test_generic_and_own_places_are_translated() -> None:
    assert place_in_words(Place("output", step=3)) == "第 3 步 · 输出"
    assert place_in_words(gradient_of("{name}", step=1, name="weight")) == "第 1 步 · weight 的梯度"
    assert (
        place_in_words(OF_SUBLAYER, WORDS) == "第 2 步 · 子层 0.weight 的梯度" and learnt_in_words(OF_SUBLAYER, WORDS) == "子层的 0.weight"
    )
    assert place_in_words(OF_SUBLAYER) == "第 2 步 · gradient of the sublayer's 0.weight"
    assert [step_in_words(step) for step in (2, BUILD, "warm-up")] == ["第 2 步", "构建", "warm-up"]


@pytest.mark.usefixtures("chinese")
def test_names_and_other_messages_are_not_translated() -> None:
    assert place_in_words(Place("{name}", name="output")) == "output"
    assert place_in_words(Place("numbers")) == "numbers" and place_in_words(Place("numbers"), WORDS) == "数值"


def test_an_exercise_may_rename_a_generic_place() -> None:
    assert template_in_words("output", {}, {"output": "what comes out"}) == "what comes out"


def test_a_name_cannot_steer_a_terminal() -> None:
    assert place_in_words(Place("key of {name}", name="\x1b[31m")) == "key of ·[31m"


def test_a_text_without_names_is_unchanged() -> None:
    assert filled("a {b}", {}) == "a {b}" and filled("a {b}", {"b": "c"}) == "a c"


def test_equality_of_absent_ignores_the_other_names() -> None:
    assert Absent("weight", ("bias",)) == Absent("weight") != Absent("bias")
