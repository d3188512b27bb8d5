"""Tests of messages: an encoded message is decoded back, and anything else raises a ProtocolError."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from normgrade.course.ban import Ban
from normgrade.language.places import Absent
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.messages import RECORDS_BYTES, Load, PlayQuestion, RecordQuestion
from normgrade.worker.wire.observation import (
    MOST_NUMBERS,
    MOST_OF_ALL,
    MOST_RECORDS,
    Array,
    Cause,
    Error,
    Foreign,
    Frame,
    Observation,
    Put,
    Reason,
    Record,
    Recording,
    Request,
    Value,
)

REQUEST = b'{"probe":"p","inputs":{}}'
FRAME = {"line": 1, "function": "f", "text": "x", "column": 0, "width": 0}


def back(values: dict[str, Value], error: Error | None = None) -> Observation:
    """Return an observation after encoding and decoding."""
    frame = messages.encode(Observation(values, error), 7)
    serial, observation = messages.decode(Observation, frame, body_limit=10**6)
    assert serial == 7
    return observation


def frame_of(header: bytes, body: bytes = b"", kind: int = 3) -> bytes:
    return framing.build(kind, 0, header, [body])


def answer(values: Any, error: Any = None, body: bytes = b"") -> bytes:
    return frame_of(json.dumps({"values": values, "error": error}).encode(), body)


def play(request: bytes, size_limit: bytes = b"0", exactly: bytes = b"false") -> bytes:
    return b'{"request":%b,"size_limit_bytes":%b,"source":null,"exactly":%b}' % (request, size_limit, exactly)


def record(source: bytes = b"null", puts: bytes = b"[]") -> bytes:
    return b'{"request":%b,"size_limit_bytes":0,"source":%b,"puts":%b,"keep":false}' % (REQUEST, source, puts)


def refuse(frame: bytes, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        messages.decode(Observation, frame, body_limit=1000)


def test_an_error_comes_back() -> None:
    error = Error(
        Cause.RAISED, "division by zero", ("ZeroDivisionError", "ArithmeticError"), (Frame(3, "forward", "1 / 0", 9, 5),), "step 2", "y"
    )
    assert back({"before": 1}, error).error == error


def test_a_request_comes_back_with_arrays_at_any_depth() -> None:
    x = Array(np.arange(3, dtype=np.float32), "float32")
    play = PlayQuestion(
        Request("layer_story", {"args": [3, (1, 2)], "steps": [{"x": x, "do": "train"}], "none": None, "eps": math.inf}), 99
    )
    _, found = messages.decode(PlayQuestion, messages.encode(play), body_limit=12)
    assert found.size_limit_bytes == 99 and found.request.probe == "layer_story"
    inputs = found.request.inputs
    assert inputs["args"] == [3, (1, 2)] and inputs["none"] is None and inputs["eps"] == math.inf
    assert (inputs["steps"][0]["x"].values == x.values).all()


@pytest.mark.parametrize(
    "question",
    [
        Load("x = '\\N{BULLET}\\0'\n# é\0", "a b.py", "submission"),
        Ban(("torch.nn.*", "torch.*norm"), ("torch.nn.Module",)),
        Ban((), ()),
        PlayQuestion(Request("call", {}), 0),
        PlayQuestion(Request("call", {}), 0, "x = 1\n"),
        PlayQuestion(Request("call", {}), 0, exactly=True),
        RecordQuestion(Request("call", {}), 0),
        RecordQuestion(Request("call", {}), 9, "x = 1\n"),
        RecordQuestion(Request("call", {}), 0, "x = 1\n", (), keep=False),
    ],
)
def test_a_question_comes_back(question: messages.Question) -> None:
    assert messages.decode(messages.QUESTIONS, messages.encode(question, 3)) == (3, question)


@pytest.mark.parametrize(
    "value", [None, True, 0, 0.1, "", Foreign(Reason.TYPE, "list"), Absent("weight"), Absent("weight", ("gamma", "beta"))]
)
def test_a_value_comes_back_with_its_type(value: Value) -> None:
    assert back({"x": value}).values["x"] == value and type(back({"x": value}).values["x"]) is type(value)


@pytest.mark.parametrize("value", [[], (), {}, [1], np.ones(2), 2**64, {1}])
def test_other_types_are_not_sent(value: Any) -> None:
    with pytest.raises(ProtocolError):
        messages.encode(Observation({"x": value}))


@pytest.mark.parametrize(("kind", "message"), [(2, "a frame of kind 2; expected 3"), (77, "a frame of kind 77; expected 3")])
def test_another_kind_of_message_is_refused(kind: int, message: str) -> None:
    refuse(frame_of(b"{}", kind=kind), message)
    with pytest.raises(ProtocolError, match="a frame of kind 3; expected 1 or 2 or 4 or 5"):
        messages.decode(messages.QUESTIONS, answer({}))


@pytest.mark.parametrize(
    ("kind", "header", "message"),
    [
        (1, b'{"source":"","file_name":""}', "an object of source, file_name, name"),
        (1, b'{"source":"","file_name":null,"name":"","defines":[]}', "expected a text"),
        (2, play(b'{"probe":"p","inputs":[]}'), "expected an object"),
        (2, play(b'{"probe":"p","inputs":{"$tuple":[]}}'), "expected an object"),
        (2, play(b'{"inputs":{},"probe":"p"}'), "an object of probe, inputs"),
        (2, play(b"null"), "an object of probe, inputs"),
        (2, play(REQUEST, b"-1"), "a non-negative integer"),
        (2, play(REQUEST, b"0", b"0"), "expected true or false"),
        (2, play(b'{"probe":1,"inputs":{}}'), "expected a text"),
        (4, b'{"banned":"ab","allowed":[]}', "a list of any number of items"),
        (4, b'{"banned":[],"allowed":[1]}', "expected a text"),
        (4, b'{"allowed":[],"banned":[]}', "an object of banned, allowed"),
        (5, record(source=b"1"), "expected a text"),
        (5, record(puts=b"[[0,0,1]]"), "an object of place, iteration, values"),
        (5, record(puts=b'[{"place":0,"iteration":0,"values":1}]'), "not an array of float64"),
        (5, record(puts=b'[{"place":0,"iteration":0,"values":{"$array":["float32",[0]]}}]'), "not an array of float64"),
        (5, record(puts=b'[{"place":-1,"iteration":0,"values":{"$array":["float64",[0]]}}]'), "a non-negative integer"),
    ],
)
def test_a_wrong_question_is_refused(kind: int, header: bytes, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        messages.decode(messages.QUESTIONS, frame_of(header, kind=kind))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "cannot be read"),
        (b'{"values":' * 6000, "cannot be read"),
        (b"[]", "expected an object of values, error"),
        (b"{}", "expected an object of values, error"),
        (b'{"error":null,"values":{}}', "expected an object of values, error"),
        (b'{"values":{},"error":null,"more":1}', "expected an object of values, error"),
        (b'{"values":{},"values":{},"error":null}', "a duplicate field"),
        (b'{"values":{"x":1,"x":2},"error":null}', "a duplicate field"),
        (b'{"values":[],"error":null}', "expected an object"),
        (b'{"values":{"$array":["int8",[0]]},"error":null}', "expected an object"),
        (b'{"values":{"\\ud800":1},"error":null}', "expected a text"),
        (b'{"values":{"x":"\\udfff"},"error":null}', "expected a text"),
        (b'{"values":{"x":9223372036854775808},"error":null}', "an int of more than 64 bits"),
        (b'{"values":{"x":[1]},"error":null}', "neither an array"),
        (b'{"values":{"x":{}},"error":null}', "neither an array"),
        (b'{"values":{"x":{"$tuple":[]}},"error":null}', "neither an array"),
        (b'{"values":{"x":{"$array":["int8",[0]],"y":1}},"error":null}', r"the name '\$array'"),
        (b'{"values":{"x":{"$array":["int8",[4]]}},"error":null}', "an array of 4 bytes, but only 0 bytes are left"),
    ],
)
def test_a_wrong_header_is_refused(header: bytes, message: str) -> None:
    refuse(frame_of(header), message)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (1, "an object of cause"),
        ({"cause": "raised"}, "an object of cause"),
        ({"cause": "passed", "message": "", "types": [], "frames": [], "step": None, "meant": ""}, "'passed' is not a valid Cause"),
        ({"cause": "raised", "message": None, "types": [], "frames": [], "step": None, "meant": ""}, "expected a text"),
        ({"cause": "raised", "message": "", "types": "ab", "frames": [], "step": None, "meant": ""}, "a list of any number"),
        ({"cause": "raised", "message": "", "types": [1], "frames": [], "step": None, "meant": ""}, "expected a text"),
        ({"cause": "raised", "message": "", "types": [], "frames": [[1, "f", "", 0, 0]], "step": None, "meant": ""}, "an object of line"),
        (
            {"cause": "raised", "message": "", "types": [], "frames": [{**FRAME, "line": "1"}], "step": None, "meant": ""},
            "non-negative integer",
        ),
        ({"cause": "raised", "message": "", "types": [], "frames": [], "step": 1.5, "meant": ""}, "expected a text"),
        ({"cause": "raised", "message": "", "types": [], "frames": [], "step": -1, "meant": ""}, "non-negative integer"),
    ],
)
def test_a_wrong_error_is_refused(error: Any, message: str) -> None:
    refuse(answer({}, error), message)


# Values on record


def recording_back(*records: Record) -> tuple[Record, ...]:
    frame = messages.encode(Recording(records=records))
    return messages.decode(Recording, frame, body_limit=RECORDS_BYTES)[1].records


def test_records_come_back() -> None:
    records = (
        Record(7, 0, "float32", np.ones((2, 3))),
        Record(0, 399, "bfloat16", np.array(np.nan)),
        Record(1, 0, "float64", np.zeros((5, 2))),
    )
    found = recording_back(*records)
    assert [(each.place, each.iteration, each.dtype) for each in found] == [(7, 0, "float32"), (0, 399, "bfloat16"), (1, 0, "float64")]
    assert all(np.array_equal(a.values, b.values, equal_nan=True) for a, b in zip(found, records, strict=True))


def test_most_records_fit_into_an_answer() -> None:
    record = Record(9999, 9999, "bfloat16", np.ones((1, 1, 1, 1, 1, MOST_OF_ALL // MOST_RECORDS)))
    assert len(recording_back(*[record] * MOST_RECORDS)) == MOST_RECORDS
    assert messages.body_limit_bytes(RecordQuestion(Request("p", {}), 0)) == RECORDS_BYTES
    assert messages.body_limit_bytes(PlayQuestion(Request("p", {}), 10)) == 2560 and messages.body_limit_bytes(Load("", "", "")) == 0


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([Record(0, 0, "float64", np.zeros(1))] * 401, "401 records; at most 400 are allowed"),
        ([Record(0, 0, "float64", np.zeros(MOST_NUMBERS))] * 129, "129 records; at most 400 are allowed"),
        ([Record(0, 0, "float64", np.zeros(MOST_NUMBERS + 1))], r"a record of the shape \(513,\)"),
        ([Record(0, 0, "float64", np.zeros((1,) * 7))], "a record of the shape"),
        ([Record(0, 0, "float64", np.zeros((0, 2)))], "a record of the shape"),
        ([Record(0, 0, "int64", np.zeros(()))], r"a record of the shape \(\)"),
        ([Record(-1, 0, "float64", np.zeros(1))], "a non-negative integer"),
        ([Record(0, True, "float64", np.zeros(1))], "a non-negative integer"),
    ],
)
def test_other_records_are_refused(records: list[Record], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        messages.decode(Recording, messages.encode(Recording(records=tuple(records))), body_limit=10**6)


@pytest.mark.parametrize("rows", ["{}", "[0]", "[[]]", '[[0,0,"float64",1]]', '[[0,0,["float64"],{"$array":["float64",[0]]}]]', "null"])
def test_other_rows_are_refused(rows: str) -> None:
    header = '{"values":{},"error":null,"records":%s}' % rows  # noqa: UP031
    with pytest.raises(ProtocolError):
        messages.decode(Recording, frame_of(header.encode(), kind=messages.KINDS[Recording]), body_limit=10**6)


def test_values_to_put_come_back() -> None:
    put = Put(1, 2, Array(np.array([3.0]), "float64"))
    asked = messages.encode(RecordQuestion(Request("p", {}), 0, "x = 1\n", (put,)))
    [found] = messages.decode(RecordQuestion, asked, body_limit=8)[1].puts
    assert (found.place, found.iteration, found.values.values.tolist()) == (1, 2, [3.0])
