"""Tests of the validation of data from another process: right types are returned, anything else raises a ProtocolError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Cause
from normgrade.worker.wire.validation import dimensions, fields, items, member, named, natural, optional, text, unique


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (items, []),
        (items, [1, "x", None]),
        (lambda value: items(value, 2), [1, 2]),
        (natural, 0),
        (natural, 2**63 - 1),
        (text, ""),
        (text, "σ² ≥ 0\n\0"),
        (optional, None),
        (optional, "x"),
        (named, "step 1 · output"),
        (lambda value: member(Cause, value), "raised"),
    ],
)
def test_valid_data_is_returned(check: Callable[[Any], Any], value: object) -> None:
    assert check(value) == value


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


def test_an_object_has_its_fields_in_order() -> None:
    assert list(fields({"a": 1, "b": None}, "a", "b")) == [1, None]


@pytest.mark.parametrize("value", [{}, {"a": 1}, {"b": 1, "a": 1}, {"a": 1, "b": 1, "c": 1}, ["a", "b"], None])
def test_an_object_of_other_fields_is_refused(value: object) -> None:
    with pytest.raises(ProtocolError, match="expected an object of a, b"):
        fields(value, "a", "b")


def test_object_with_unique_fields_is_a_dictionary() -> None:
    assert unique([("a", 1), ("b", 1)]) == {"a": 1, "b": 1}
