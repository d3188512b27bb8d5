"""Tests of the options of a step: which are unusual, and the form in which a request packs them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from normgrade import probes
from normgrade.probes.step_options import USUAL, StepOptions

# The order of all entries in a request, whose digests name files that ship with the course
PACKED = (
    *("view", "gradients", "frozen", "constant", "witness", "again", "between", "residual", "twice", "steep", "more", "names"),
    *("mode", "beside", "arriving", "calls", "leaf", "keep", "graph", "default", "overwritten"),
)
OF_ONE = {"freeze", "detach"}  # these are packed as numbers of "frozen" and "constant"


def test_packed_options_keep_their_order() -> None:
    every: dict[str, Any] = {each.name: True for each in fields(StepOptions) if each.name not in OF_ONE}
    assert [*StepOptions(**every).packed] == [*PACKED]


def test_usual_options_are_not_packed() -> None:
    assert (USUAL.packed, USUAL.unusual, StepOptions(more=[], names=(), calls=None).packed) == ({}, {}, {})


@pytest.mark.parametrize(
    ("options", "packed"),
    [
        (StepOptions(freeze=2), {"frozen": "2"}),
        (StepOptions(detach=1), {"constant": "1"}),
        (StepOptions(frozen=True, detach=3, calls=40), {"frozen": True, "constant": "3", "calls": 40}),
        (StepOptions(view="strided", keep=True), {"view": "strided", "keep": True}),
    ],
)
def test_packing_and_unpacking_are_inverse(options: StepOptions, packed: dict[str, Any]) -> None:
    assert options.packed == packed and [*options.packed] == [*packed]
    assert StepOptions.unpacked({"do": "train", "x": None} | packed) == options


def test_every_option_is_explained() -> None:
    assert [each.name for each in fields(StepOptions) if f"`{each.name}`" not in str(StepOptions.__doc__).replace("=2`", "`")] == []


def test_probes_of_an_exercise_find_the_options() -> None:
    assert probes.StepOptions is StepOptions
