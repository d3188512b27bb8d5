"""Tests of expectations as bytes: they come back bit by bit, and damage is detected."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from normgrade.language.places import Absent, Place, gradient_of
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.kept import HEADER, Damaged, decode, encode, request_key
from normgrade.worker.wire.observation import Array, Cause, Error, Foreign, Reason, Request
from normgrade.worker.wire.requests import FunctionCall, OwnProbe

EMPTY = Expectation(OwnProbe("p"), {})
KEY: list[Any] = ["x", None, None, {}]
PLACE = [{"$array": ["float64", []]}, "float32", 0.0, None, None]


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.builds(Foreign, st.sampled_from(Reason), st.text("abc", max_size=5), st.none() | st.just("int8"), st.none() | st.just((2, 3))),
    st.builds(Absent, st.text("abc", max_size=5), st.just(()) | st.just(("gamma", "beta"))),
)
NUMBERS = arrays.arrays(np.float64, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
PLACES = st.one_of(
    st.builds(Expected, VALUES),
    st.builds(
        lambda values, dtype, spread, slack, error: Expected(Array(values, "float64"), dtype, spread, slack, error),
        NUMBERS,
        st.sampled_from(["float32", "float16", None]),
        st.none() | NUMBERS,
        st.none() | NUMBERS,
        st.floats(0, allow_nan=False),
    ),
)
ERRORS = st.builds(
    Error,
    st.sampled_from(Cause),
    st.text("ab", max_size=3),
    st.tuples(st.just("E")),
    st.just(()),
    st.none() | st.just("build") | st.just(1),
)


KEYS = [Place("output", step=1), gradient_of("{name}", step=2, name="weight"), Place("a {b} c"), Place("σ")]


def identical(one: Any, other: Any) -> bool:
    """Return True if two values, arrays or not, are equal bit by bit."""
    if isinstance(one, Array) and isinstance(other, Array):
        return one.dtype == other.dtype and identical(one.values, other.values)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and bool(one == other)


@given(st.dictionaries(st.sampled_from(KEYS), PLACES), st.none() | ERRORS, NUMBERS)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_an_expectation_comes_back_as_it_was(places: dict[Place, Expected], error: Error | None, x: np.ndarray) -> None:
    call = FunctionCall("f", [Array(x, "float64"), (1, None)], {"eps": 0.1})
    back = decode(encode(Expectation(call, places, error)))
    assert back.error == error and list(back.places) == list(places) and [vars(key) for key in back.places] == [vars(key) for key in places]
    assert isinstance(back.request, FunctionCall) and (back.request.function, back.request.kwargs) == ("f", {"eps": 0.1})
    assert identical(back.request.args[0], call.args[0]) and back.request.args[1] == (1, None)
    for name, place in places.items():
        for part in ("value", "dtype", "spread", "slack", "error"):
            assert identical(getattr(back.places[name], part), getattr(place, part)), (name, part)


def content(header: Any, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return HEADER.pack(len(text)) + text + body


def kept(**changes: Any) -> dict[str, Any]:
    return {"request": ["p", {}], "places": [], "error": None} | changes


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"not an expectation",
        HEADER.pack(0),
        HEADER.pack(2**63) + encode(EMPTY)[HEADER.size :],
        encode(EMPTY)[:-1],
        encode(EMPTY) + b"x",
        content([]),
        content({}),
        content(kept(request=["p"])),
        content(kept(request=None)),
        content(kept(places=1)),
        content(kept(places=[["x", PLACE]]), bytes(8)),
        content(kept(places=[[KEY, 1]])),
        content(kept(places=[[KEY, PLACE[:4]]]), bytes(8)),
        content(kept(places=[[KEY, PLACE]]), bytes(7)),
        content(kept(places=[[KEY, PLACE]]), bytes(9)),
        content(kept(places=[[KEY, [*PLACE[:3], 1.5, None, "float32"]]]), bytes(8)),
        content(kept(error=["?", "", [], None])),
        content(kept(error=["raised", ""])),
        content(kept(error=1)),
    ],
)
def test_damaged_bytes_raise(damaged: bytes) -> None:
    with pytest.raises(Damaged):
        decode(damaged)


def test_undamaged_bytes_are_decoded() -> None:
    found = decode(content(kept(places=[[KEY, PLACE]]), np.array(0.5).tobytes()))
    value = found.places[Place("x")].value
    assert isinstance(value, Array) and value.values.item() == 0.5 and found.error is None and found.request == OwnProbe("p")


def test_the_same_bytes_give_the_same_object() -> None:
    """Decode each expectation only once when many submissions are graded."""
    whole = content(kept(places=[[KEY, PLACE]]), np.array(0.5).tobytes())
    assert decode(whole) is decode(bytes(bytearray(whole)))


def test_every_cut_is_damage() -> None:
    whole = encode(
        Expectation(
            OwnProbe("p", {"x": Array(np.ones(3), "float64")}),
            {Place("y"): Expected(1), gradient_of("{name}", step=2, name="w"): Expected(Absent("weight"))},
        )
    )
    for length in range(len(whole)):
        with pytest.raises(Damaged):
            decode(whole[:length])


def test_only_equal_requests_have_equal_keys() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    requests = [
        Request("p", {"x": Array(x, "float32")}), Request("q", {"x": Array(x, "float32")}), Request("p", {"y": Array(x, "float32")}),
        Request("p", {"x": Array(x + 1, "float32")}), Request("p", {"x": Array(x.reshape(3, 2), "float32")}), Request("p", {"x": [1, 2]}),
        Request("p", {"x": (1, 2)}), Request("p", {"x": 1}), Request("p", {"x": 1.0}), Request("p", {"x": True}), Request("p", {"x": "1"}),
    ]  # fmt: skip
    assert len(set(map(request_key, requests))) == len(requests)
    assert request_key(Request("p", {"x": Array(x.T.copy().T, "float32")})) == request_key(requests[0])
