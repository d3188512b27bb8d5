"""Frames: what goes in comes out, and what is no frame is a ProtocolError and nothing else."""

from __future__ import annotations

import json
import math
import os
import random
import struct
from typing import Any

import numpy as np
import pytest

from normgrade.worker import wire
from normgrade.worker.observation import Array, Cause, Error, Foreign, Frame, Observation, Request, Value
from normgrade.worker.wire import Load, Play, ProtocolError


def back(values: dict[str, Value], error: Error | None = None) -> Observation:
    """An observation after its way over the wire."""
    frame = wire.encode(Observation(values, error), 7)
    serial, observation = wire.decode(Observation, frame, body_limit=10**6)
    assert serial == 7
    return observation


def frame_of(header: bytes, body: bytes = b"", *, magic: bytes = b"norm", version: int = 1, kind: int = 3) -> bytes:
    return struct.pack("<4sBBHIQ", magic, version, kind, 0, len(header), len(body)) + header + body


def answer(values: Any, error: Any = None, body: bytes = b"") -> bytes:
    return frame_of(json.dumps({"values": values, "error": error}).encode(), body)


def refuse(frame: bytes, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        wire.decode(Observation, frame, body_limit=1000)


@pytest.mark.parametrize("dtype", [name for name in wire.DTYPES if name != "bfloat16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 5), (1, 2, 3, 4)])
def test_arrays_come_back_as_they_were(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    array = back({"x": Array(values, dtype)}).values["x"]
    assert isinstance(array, Array) and array.dtype == dtype
    assert array.values.dtype == values.dtype and array.values.shape == shape and (array.values == values).all()


def test_arrays_come_back_writable_and_owned() -> None:
    array = back({"x": Array(np.arange(3.0), "float64")}).values["x"]
    assert isinstance(array, Array) and array.values.flags.writeable and array.values.flags.aligned


@pytest.mark.parametrize("values", [np.arange(12.0).reshape(3, 4).T, np.arange(12.0)[::-2]])
def test_memory_order_does_not_matter(values: np.ndarray[Any, Any]) -> None:
    array = back({"x": Array(values, "float64")}).values["x"]
    assert isinstance(array, Array) and (array.values == values).all()


def test_bfloat16_travels_in_two_bytes_and_comes_back_exactly() -> None:
    values = np.array([1.0, -2.5, 3.3895314e38, math.inf, -0.0, 9.2e-41], np.float32)
    values = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
    assert (
        len(wire.encode(Observation({"x": Array(values, "bfloat16")})))
        - len(wire.encode(Observation({"x": Array(values[:0], "bfloat16")})))
        == 12
    )
    array = back({"x": Array(values, "bfloat16")}).values["x"]
    assert isinstance(array, Array) and array.dtype == "bfloat16" and array.values.tobytes() == values.tobytes()


def test_a_nan_stays_nan_in_bfloat16() -> None:
    values = np.array([0x7F800001, 0xFFC00000], np.uint32).view(np.float32)
    array = back({"x": Array(values, "bfloat16")}).values["x"]
    assert isinstance(array, Array) and np.isnan(array.values).all()


def test_a_number_that_bfloat16_cannot_hold_is_refused() -> None:
    with pytest.raises(ProtocolError, match=r"0\.1.* in an array of bfloat16, which cannot hold it"):
        wire.encode(Observation({"x": Array(np.array([1.0, 0.1], np.float32), "bfloat16")}))


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, -(2**63), 2**63 - 1, 0.1, math.inf, -math.inf, "", "σ² ≥ 0\n", Foreign("a list"), Foreign("x", "int8", (2, 0))],
)
def test_other_values_come_back_with_their_type(value: Value) -> None:
    assert back({"x": value}).values["x"] == value
    assert type(back({"x": value}).values["x"]) is type(value)


def test_a_scalar_nan_comes_back() -> None:
    assert math.isnan(back({"x": math.nan}).values["x"])  # type: ignore[arg-type]


def test_an_error_comes_back() -> None:
    error = Error(Cause.RAISED, "division by zero", ("ZeroDivisionError", "ArithmeticError"), (Frame(3, "forward", "1 / 0"),), "step 2")
    assert back({"before": 1}, error).error == error


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert back({"x": "\udc80"}).values["x"] == "?"


def test_a_request_comes_back_with_arrays_at_any_depth() -> None:
    x = Array(np.arange(3, dtype=np.float32), "float32")
    play = Play(Request("layer_story", {"args": [3, (1, 2)], "steps": [{"x": x, "do": "train"}], "none": None, "eps": math.inf}), 99)
    _, found = wire.decode(Play, wire.encode(play), body_limit=12)
    assert found.size_limit_bytes == 99 and found.request.probe == "layer_story"
    inputs = found.request.inputs
    assert inputs["args"] == [3, (1, 2)] and inputs["none"] is None and inputs["eps"] == math.inf
    assert (inputs["steps"][0]["x"].values == x.values).all()


def test_a_source_comes_back() -> None:
    load = Load("x = '\\N{BULLET}\\0'\n# é\0", "a b.py", "submission")
    assert wire.decode(wire.QUESTIONS, wire.encode(load))[1] == load


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"x": {1, 2}}, "a set cannot travel"),
        ({"x": np.float32(1)}, "a float32 cannot travel; numbers do as an Array"),
        ({"x": np.ones(2)}, "a ndarray cannot travel; numbers do as an Array"),
        ({"$array": 1}, r"the name '\$array'"),
        ({"x": {3: 1}}, "the name 3"),
        ({"x": 2**63}, "an int of more than 64 bits"),
        ({"x": Array(np.ones(2), "complex64")}, "an array of dtype 'complex64'"),
        ({"x": Array(np.ones(2), "float32")}, "says float32 but holds float64"),
    ],
)
def test_inputs_that_cannot_travel_are_named(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        wire.encode(Play(Request("p", inputs), 0))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"", "starts with 20 bytes, not 0"),
        (b"norm", "starts with 20 bytes, not 4"),
        (frame_of(b"{}", magic=b"\x80\x04pk"), "starts with b'norm' and version 1"),
        (frame_of(b"{}", version=2), "and version 1, not b'norm' and 2"),
        (frame_of(b"{}", kind=2), "a frame of kind 2; expected is 3"),
        (frame_of(b"{}", kind=77), "a frame of kind 77"),
        (struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, 2**32 - 1, 0), "a header of 4294967295"),
        (struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, 2, 2**64 - 1), "a body of 18446744073709551615"),
        (frame_of(b" " * 65537), "a header of 65537"),
        (frame_of(b"{}", b"x" * 1001), "a body of 1001 bytes; allowed are 65536 and 1000"),
        (answer({})[:-1], "bytes after the prefix"),
        (answer({}) + b"x", "bytes after the prefix"),
    ],
)
def test_a_wrong_prefix_is_refused(frame: bytes, message: str) -> None:
    refuse(frame, message)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"\xef\xbb\xbf{}", "cannot be read"),
        (b"{", "cannot be read"),
        (b"[" * 60000, "cannot be read"),
        (b'{"values":' * 6000, "cannot be read"),
        (b'{"values":{"x":' + b"9" * 5000 + b'},"error":null}', "cannot be read"),
        (b"[]", "expected an object of values, error"),
        (b"{}", "expected an object of values, error"),
        (b'{"error":null,"values":{}}', "expected an object of values, error"),
        (b'{"values":{},"error":null,"more":1}', "expected an object of values, error"),
        (b'{"values":{},"values":{},"error":null}', "names a field twice"),
        (b'{"values":{"x":1,"x":2},"error":null}', "names a field twice"),
        (b'{"values":[],"error":null}', "values that are no object"),
        (b'{"values":{"\\ud800":1},"error":null}', "expected a text"),
        (b'{"values":{"x":"\\udfff"},"error":null}', "expected a text"),
        (b'{"values":{"x":9223372036854775808},"error":null}', "neither an array"),
        (b'{"values":{"x":[1]},"error":null}', "neither an array"),
        (b'{"values":{"x":{}},"error":null}', "neither an array"),
        (b'{"values":{"x":{"$array":["int8",[0]],"y":1}},"error":null}', "neither an array"),
    ],
)
def test_a_wrong_header_is_refused(header: bytes, message: str) -> None:
    refuse(frame_of(header), message)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (None, "a list of 2 items"),
        (["int8"], "a list of 2 items"),
        ([1, [1]], "expected a text"),
        (["object", [1]], "dtype 'object'"),
        (["|O", [1]], "dtype '|O'"),
        (["int8", 4], "a list of any number"),
        (["int8", [-4]], "whole number"),
        (["int8", [True, 4]], "whole number"),
        (["int8", [4.0]], "whole number"),
        (["int8", [2**63]], "whole number"),
        (["int8", [1] * 33 + [4]], "34 dimensions; allowed are 32"),
        (["int8", [5]], "an array of 5 bytes where 4 are left"),
        (["int8", [3]], "1 bytes that belong to no array"),
        (["float64", [2**32, 2**31]], "more bytes than there are addresses"),
        (["int8", [0, 2**62, 2**62]], "more bytes than there are addresses"),
        (["bool", [4]], "a bool that is neither 0 nor 1"),
    ],
)
def test_a_wrong_array_is_refused(description: Any, message: str) -> None:
    refuse(answer({"x": {"$array": description}}, body=b"\1\0\1\2"), message)


def test_an_empty_array_of_huge_shape_is_an_empty_array() -> None:
    _, observation = wire.decode(Observation, answer({"x": {"$array": ["int8", [0, 2**62]]}}))
    array = observation.values["x"]
    assert isinstance(array, Array) and array.values.shape == (0, 2**62)


def test_two_arrays_cannot_share_their_bytes() -> None:
    one = {"$array": ["int8", [4]]}
    refuse(answer({"x": one, "y": one}, body=b"\0\0\0\0"), "an array of 4 bytes where 0 are left")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (1, "an object of cause"),
        ({"cause": "raised"}, "an object of cause"),
        ({"cause": "passed", "message": "", "types": [], "frames": [], "step": None}, "'passed' is not a valid Cause"),
        ({"cause": "raised", "message": None, "types": [], "frames": [], "step": None}, "expected a text"),
        ({"cause": "raised", "message": "", "types": "ab", "frames": [], "step": None}, "a list of any number"),
        ({"cause": "raised", "message": "", "types": [1], "frames": [], "step": None}, "expected a text"),
        ({"cause": "raised", "message": "", "types": [], "frames": [[1, "f"]], "step": None}, "a list of 3 items"),
        ({"cause": "raised", "message": "", "types": [], "frames": [["1", "f", "x"]], "step": None}, "whole number"),
        ({"cause": "raised", "message": "", "types": [], "frames": [], "step": 2}, "expected a text"),
    ],
)
def test_a_wrong_error_is_refused(error: Any, message: str) -> None:
    refuse(answer({}, error), message)


@pytest.mark.parametrize("described", [None, ["x"], [1, None, None], ["x", 1, None], ["x", None, 3], ["x", None, [-1]]])
def test_a_wrong_description_is_refused(described: Any) -> None:
    refuse(answer({"x": {"$foreign": described}}), "expected")


def test_a_damaged_frame_is_a_protocol_error_or_another_message() -> None:
    error = Error(Cause.RAISED, "no", ("ValueError",), (Frame(1, "f", "x"),))
    values: dict[str, Value] = {
        "a": Array(np.arange(6, dtype=np.float32).reshape(2, 3), "float32"),
        "b": Array(np.array([True, False]), "bool"),
        "c": Foreign("a list", None, (1, 2)),
        "d": math.nan,
    }
    frame = wire.encode(Observation(values, error))
    generator = random.Random(0)
    refused = 0
    for _ in range(5000):
        damaged = bytearray(frame)
        for _ in range(generator.randint(1, 3)):
            place = generator.randrange(len(damaged))
            action = generator.random()
            if action < 0.6:
                damaged[place] = generator.randrange(256)
            elif action < 0.8:
                del damaged[place : place + generator.randint(1, 9)]
            else:
                damaged[place:place] = generator.randbytes(generator.randint(1, 9))
        try:
            wire.decode(Observation, bytes(damaged), body_limit=1000)
        except ProtocolError:
            refused += 1
    assert refused > 3000


def test_frames_are_read_one_after_the_other_from_a_pipe() -> None:
    ours, theirs = os.pipe()
    for number in (1, 2):
        wire.send(theirs, wire.encode(Observation({"x": number}), number))
    os.close(theirs)
    for number in (1, 2):
        serial, observation = wire.receive(ours, Observation, 1000, lambda: 0)
        assert (serial, observation.values) == (number, {"x": number})
    with pytest.raises(EOFError):
        wire.receive(ours, Observation, 1000, lambda: 0)
    os.close(ours)


@pytest.mark.parametrize("length", [1, 19, 20, 30])
def test_a_stream_that_ends_within_a_frame_is_a_protocol_error(length: int) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, wire.encode(Observation({"x": 1}))[:length])
    os.close(theirs)
    with pytest.raises(ProtocolError):
        wire.receive(ours, Observation, 1000, lambda: 0)
    os.close(ours)
