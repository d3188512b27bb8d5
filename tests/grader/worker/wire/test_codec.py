"""Tests of dataclasses as data and back, and of the checks of data: anything but the right types raises a ProtocolError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from normgrade.worker.wire.codec import (
    an_object,
    any_object,
    boolean,
    codec,
    dimensions,
    items,
    member,
    named,
    natural,
    optional,
    staying,
    step_or_word,
    text,
    unique,
)
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Cause


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (items, (1, 2), "a list of any number of items"),
        (items, "ab", "a list of any number of items"),
        (lambda value: items(value, 3), [1, 2], "a list of 3 items"),
        (natural, -1, "a non-negative integer"),
        (natural, 2**63, "a non-negative integer"),
        (natural, True, "a non-negative integer"),
        (natural, 1.0, "a non-negative integer"),
        (natural, None, "a non-negative integer"),
        (text, None, "expected a text"),
        (text, b"x", "expected a text"),
        (text, "x\ud800", "expected a text"),
        (boolean, 0, "expected true or false"),
        (any_object, [], "expected an object"),
        (step_or_word, True, "a non-negative integer"),
        (step_or_word, 0.5, "expected a text"),
        (optional, 1, "expected a text"),
        (named, "$array", r"the name '\$array'"),
        (named, "\udfff", "expected a text"),
        (named, 3, "the name 3"),
        (lambda value: member(Cause, value), "passed", "'passed' is not a valid Cause"),
        (lambda value: member(Cause, value), 1, "expected a text"),
        (dimensions, [0] * 33, "33 dimensions; at most 32 are allowed"),
        (dimensions, [-1], "a non-negative integer"),
        (dimensions, (1, 2), "a list of any number of items"),
        (unique, [("a", 1), ("a", 1)], "a duplicate field"),
    ],
)
def test_invalid_data_is_refused(check: Callable[[Any], Any], value: object, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        check(value)


def test_a_shape_is_a_tuple() -> None:
    assert dimensions([2, 0, 3]) == (2, 0, 3) and dimensions([]) == ()
    assert len(dimensions([1] * 32)) == 32


@pytest.mark.parametrize("value", [{}, {"a": 1}, {"b": 1, "a": 1}, {"a": 1, "b": 1, "c": 1}, ["a", "b"], None])
def test_an_object_of_other_fields_is_refused(value: object) -> None:
    with pytest.raises(ProtocolError, match="expected an object of a, b"):
        an_object(value, "a", "b")


@dataclass(frozen=True)
class Part:
    """A part of a whole."""

    number: int
    cause: Cause


@dataclass(frozen=True)
class Whole:
    """A dataclass with fields of every form."""

    name: str
    parts: tuple[Part, ...] = ()
    part: Part | None = None
    open: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    ours: str = staying(default="")


DATA = {"name": "a", "parts": [{"number": 1, "cause": "raised"}], "part": None, "open": True, "given": {"b": (1, 2)}}


def test_a_dataclass_comes_back() -> None:
    whole = Whole("a", (Part(1, Cause.RAISED),), None, True, {"b": (1, 2)}, ours="stays")
    assert codec(Whole).write(whole) == DATA
    assert codec(Whole).read(DATA) == replace(whole, ours="")


@pytest.mark.parametrize(
    "other",
    [
        {**DATA, "ours": ""},
        {name: each for name, each in DATA.items() if name != "open"},
        dict(reversed(DATA.items())),
        {**DATA, "parts": {}},
        {**DATA, "parts": [{"number": 1}]},
        {**DATA, "parts": [{"number": -1, "cause": "raised"}]},
        {**DATA, "parts": [{"number": 1, "cause": "other"}]},
        {**DATA, "part": []},
        {**DATA, "open": 1},
        {**DATA, "given": None},
        [],
        None,
    ],
)
def test_other_data_is_refused(other: Any) -> None:
    with pytest.raises(ProtocolError):
        codec(Whole).read(other)
