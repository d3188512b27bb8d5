"""Tests with tens of thousands of damaged frames: each is refused with a ProtocolError, or is a message that can be sent again."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
import pytest

from normgrade.course.ban import Ban
from normgrade.language.places import Absent
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.messages import Load, Message, PlayQuestion, RecordQuestion
from normgrade.worker.wire.observation import (
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
from normgrade.worker.wire.packing import DTYPES

KINDS: tuple[type[Message], ...] = (*messages.QUESTIONS, *messages.ANSWERS)
MUTANTS_PER_FRAME = 4000
BODY_BYTES = 2048  # the most that an answer may hold here
PATIENCE_S = 2.0  # for one frame, in processor time
MOST_TIMES = 50  # memory while a frame is read, relative to its length,
MOST_MORE_BYTES = 1024**2  # and in addition
HOLE = "# hole #"
EXTREMES = (0, 1, 7, 19, 255, 2**15, 2**16, 2**16 + 1, 2**22 + 1, 2**31 - 1, 2**31, 2**32 - 1)


# Frames to start from


def numbers(dtype: str, *shape: int) -> Array:
    """Return an array of zeros and ones, which every dtype can hold."""
    held = "float32" if dtype == "bfloat16" else dtype
    return Array((np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(held), dtype)


STRANGE = Array(np.array([[np.nan, np.inf], [-0.0, 1e-45]], np.float32), "float32")
SPARSE = Foreign(Reason.FORM, "Tensor", "complex64", (2, 0), "torch.sparse_coo", "cpu")
ERROR = Error(
    Cause.RAISED,
    "shapes (3,) and (4,) do not fit",
    ("RuntimeError", "Exception", "BaseException"),
    (Frame(12, "forward", "return x - mean"), Frame(3, "helper", "x @ y")),
    "step 2: train",
)
SCALAR = Record(0, 12, "bfloat16", np.array(0.5))
STORY: Mapping[str, Any] = {
    "layer": "Layer",
    "args": [3, (1, 2)],
    "kwargs": {"eps": 1e-5, "affine": True, "name": None},
    "state": {"weight": numbers("float32", 3), "seen": numbers("float64", 3)},
    "watch": ["weight", "seen"],
    "steps": [{"do": "train", "x": numbers("float32", 2, 3), "upstream": None}, {"do": "evaluate", "x": numbers("bfloat16", 2, 3)}],
}
NESTED: Mapping[str, Any] = {
    "a": {"b": {"c": [(), ((numbers("int64", 2),),), [[[]]], {"d": -1}]}},
    "e": Foreign(Reason.TYPE, "set"),
    "f": Absent("g", ("h",)),
}
MESSAGES: Mapping[str, Message] = {
    "an empty answer": Observation(),
    **{f"an answer with {dtype}": Observation({"x": numbers(dtype, 2, 3), "y": numbers(dtype)}) for dtype in DTYPES},
    "an answer with empty arrays": Observation({"none": numbers("float16", 0), "flat": numbers("bool", 2, 0, 5), "nan": STRANGE}),
    "an answer with scalars": Observation({"a": None, "b": True, "c": -(2**63), "d": 0.1, "e": float("nan"), "f": "", "σ²": "≥ 0\n\0"}),
    "an answer with descriptions": Observation({"a": Foreign(Reason.TYPE, "list"), "b": SPARSE}),
    "an answer with what is absent": Observation({"a": Absent("weight"), "b": Absent("weight", ("gamma", "beta")), "c": None}),
    "an answer with an estimate": Observation({"p": Array(np.asarray(0.25), "float64", 0.01), "n": 400}),
    "an answer with an error": Observation({"before": numbers("float32", 4)}, ERROR),
    "an answer with nothing but an error": Observation({}, Error(Cause.NOT_LOADED, "", ("SyntaxError",))),
    "a source": Load("import torch\n\ndef f(x):\n    return 'σ' * 2  # \0\n", "my file.py", "submission"),
    "an empty source": Load("", "", ""),
    "a ban": Ban(("torch.nn.*Norm*", "torch.nn.functional.*_norm"), ("torch.nn.utils.weight_norm",)),
    "a ban of nothing": Ban((), ()),
    "a question of a layer": PlayQuestion(Request("layer_story", STORY), 4096),
    "a question of a function": PlayQuestion(Request("call", {"function": "rms", "args": [numbers("float16", 5)], "kwargs": {}}), 0),
    "a question with nested inputs": PlayQuestion(Request("probe", NESTED), 2**62),
    "a question without inputs": PlayQuestion(Request("probe", {}), 1),
    "a question on record": RecordQuestion(Request("layer_story", STORY), 4096),
    "a question on record of a source": RecordQuestion(Request("probe", {}), 0, "x = 1\n"),
    "a question with values to put": RecordQuestion(
        Request("probe", {}), 9, "x = 1\n", (Put(3, 0, numbers("float64", 2)), Put(0, 7, numbers("float64"))), True
    ),
    "an answer on record": Recording({"y": numbers("float32", 2)}, records=(Record(3, 0, "float32", np.ones((2, 3))), SCALAR)),
    "an answer on record with an error": Recording({}, ERROR, records=(SCALAR,)),
    "an answer on record without records": Recording(),
}
FRAMES = {name: messages.encode(message, 7) for name, message in MESSAGES.items()}


# Damage to bytes


def with_flipped_bits(chance: Random, frame: bytes) -> bytes:
    damaged = bytearray(frame)
    for _ in range(chance.randint(1, 4)):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def with_a_byte_overwritten(chance: Random, frame: bytes) -> bytes:
    at = chance.randrange(len(frame))
    return frame[:at] + bytes([chance.choice([0, 0xFF, 0x80, *b'"{}[]:,\\0-9e', chance.randrange(256)])]) + frame[at + 1 :]


def cut_short(chance: Random, frame: bytes) -> bytes:
    return frame[: chance.randrange(len(frame))]


def drawn_out(chance: Random, frame: bytes) -> bytes:
    return frame + chance.randbytes(chance.choice([1, 8, 3000]))


def a_slice(chance: Random, frame: bytes) -> tuple[int, int]:
    start = chance.randrange(len(frame))
    return start, min(len(frame), start + chance.randint(1, 24))


def with_a_slice_left_out(chance: Random, frame: bytes) -> bytes:
    start, end = a_slice(chance, frame)
    return frame[:start] + frame[end:]


def with_a_slice_doubled(chance: Random, frame: bytes) -> bytes:
    start, end = a_slice(chance, frame)
    return frame[:end] + frame[start:end] + frame[end:]


def with_two_slices_swapped(chance: Random, frame: bytes) -> bytes:
    (a, b), (c, d) = sorted([a_slice(chance, frame), a_slice(chance, frame)])
    return frame if c < b else frame[:a] + frame[c:d] + frame[b:c] + frame[a:b] + frame[d:]


# Damage to the prefix, and to the body with a prefix that fits


def parts(frame: bytes) -> tuple[tuple[Any, ...], bytes, bytes]:
    """Return prefix, header and body. Raise ValueError if the frame is shorter than a prefix."""
    if len(frame) < framing.PREFIX.size:
        raise ValueError
    prefix = framing.PREFIX.unpack(frame[: framing.PREFIX.size])
    end = framing.PREFIX.size + prefix[4]
    return prefix, frame[framing.PREFIX.size : end], frame[end:]


def framed(prefix: tuple[Any, ...], header: bytes, body: bytes) -> bytes:
    return framing.PREFIX.pack(*prefix[:4], len(header), len(body)) + header + body


def with_another_prefix(chance: Random, frame: bytes) -> bytes:
    prefix, header, body = parts(frame)
    fields = list(prefix)
    at = chance.choice([1, 2, 3, 4, 4, 5, 5])
    if at <= 3:
        fields[at] = chance.choice([0, 1, 2, 3, 4, 255])
    else:
        near = max(0, fields[at] + chance.choice([-8, -1, 1, 8]))
        fields[at] = chance.choice([near, *EXTREMES, *([2**63 - 1, 2**63, 2**64 - 1] if at == 5 else [])])
    return framing.PREFIX.pack(*fields) + header + body


def with_another_body(chance: Random, frame: bytes) -> bytes:
    prefix, header, body = parts(frame)
    choices = [body[:-1], body + b"\1", body[::-1], b"\xff" * len(body), chance.randbytes(len(body)), body * 2, b"", bytes(5000)]
    return framed(prefix, header, chance.choice(choices))


def with_invalid_utf_8(chance: Random, frame: bytes) -> bytes:
    prefix, header, body = parts(frame)
    at = chance.randrange(len(header) + 1)
    return framed(
        prefix, header[:at] + chance.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x82"]) + header[at:], body
    )


# Damage to the JSON of the header, with a prefix that fits


def array(dtype: str, shape: str) -> str:
    return f'{{"$array":["{dtype}",{shape}]}}'


def nested(opening: str, closing: str, depth: int) -> str:
    return opening * depth + "1" + closing * depth


SCALARS = (
    "0 -0 1 -1 0.0 -0.0 1.5 1e999 -1e999 1e-999 NaN Infinity -Infinity true false null 4611686018427387904 9223372036854775807 "
    '9223372036854775808 -9223372036854775808 -9223372036854775809 "" "x" "raised" "timed_out" "float32" "bfloat16" "complex64" "$array"'
).split()
TEXTS = (r'"\ud800"', r'"\udfff\ud800"', r'"\ud83d\ude00"', r'"\u0000"', r'"\x"', '"a\nb"', '"' + "x" * 5000 + '"')
LONG = ("9" * 5000, "-" + "9" * 5000, "9" * 5000 + ".5", "1e" + "9" * 5000, "0." + "0" * 5000 + "1")
CONTAINERS = ("[]", "{}", "[[]]", "[1,2]", "[1,2,3]", '{"a":1}', '{"":0}', '{"a":1,"a":2}', '["x",null,null]', "[1,]", "{1:2}", "[", "nul")
ARRAYS = (
    *(array(dtype, "[0]") for dtype in (*DTYPES, "object", "|O", "complex64", "float128", "", "Float32", "V8", "<f4")),
    *(array("int8", shape) for shape in ("[0,9223372036854775807]", "[9223372036854775807]", "[9223372036854775808]", "[-1]", "[-0]")),
    *(array("int8", shape) for shape in ("[4294967296,4294967296,0]", "[true]", "[0.0]", "[null]", '"2"', "2", "null", "{}", "[[0]]")),
    *(array(dtype, "[0,1152921504606846976]") for dtype in ("bfloat16", "float64", "bool", "float16")),
    *(array("bfloat16", f"[0,{2**61}]") for _ in range(3)),
    *(array("int8", f"[{'0,' * more}0]") for more in (30, 31, 32, 33, 5000)),
    *(array("bool", f"[{'1,' * more}0]") for more in (31, 32)),
)
MARKED = (
    '{"$array":[]}', '{"$array":null}', '{"$array":["int8",[0]],"x":1}', '{"x":1,"$array":["int8",[0]]}', '{"$array":{"$array":null}}',
    *(f'{{"$foreign":{foreign}}}' for foreign in (
        '[]', '"x"', '["size","x",null,[0],null,null]', '["form","x","int8",[9223372036854775807],"",""]', '["x",null,[0]]',
        '["type","x",null,[-1],null,null]', '["type",1,null,null,null,null]', '["x","x",null,null,null,null]',
        '["subclass","x",2,null,null,null]',
    )),
    '{"$foreign":["type","x",null,null,null,null],"$array":["int8",[0]]}', '{"$absent":[]}', '{"$absent":"x"}', '{"$absent":["x",[]]}',
    '{"$absent":["x",["y","z"]]}', '{"$absent":["x",[1]]}', '{"$absent":["x",null]}', '{"$absent":[1,[]]}', '{"$absent":["x",[]],"y":1}',
    '{"$tuple":[]}', '{"$tuple":{}}', '{"$tuple":[1],"x":2}', '{"$tuple":[{"$tuple":[{"$array":["int8",[0]]}]}]}', '{"$tuple":null}',
    '{"$tuple":[1],"$array":["int8",[0]]}', '{"$other":1}', '{"$":1}', '["$tuple",[1]]',
)  # fmt: skip
DEEP = tuple(
    nested(opening, closing, depth)
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('{"$tuple":[', "]}"), ('{"$array":', "}"), ('{"$foreign":[', "]}"))
    for depth in (10, 100, 250, 300, 330, 400, 480, 1000, 4000)
)
SNIPPETS = (SCALARS, SCALARS, TEXTS, LONG, CONTAINERS, ARRAYS, ARRAYS, MARKED, DEEP)
NAMES = (
    "values",
    "error",
    "$array",
    "$foreign",
    "$absent",
    "$tuple",
    "$",
    "",
    "x",
    "inputs",
    "\ud800",
    "probe",
    "source",
    "σ",
    "request",
    "table",
)


@lru_cache(64)
def tree_of(header: bytes) -> Any:
    return json.loads(header)


def a_place(chance: Random, tree: Any) -> tuple[Any, ...]:
    """Return the path to a random node of a tree: names and positions from the root."""
    place: list[Any] = []
    while isinstance(tree, dict | list) and tree and chance.random() < 0.8:
        place.append(chance.choice(list(tree)) if isinstance(tree, dict) else chance.randrange(len(tree)))
        tree = tree[place[-1]]
    return tuple(place)


def at(tree: Any, place: tuple[Any, ...]) -> Any:
    for name in place:
        tree = tree[name]
    return tree


def replaced(tree: Any, place: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of the tree with another value at one place."""
    if not place:
        return new
    first, *rest = place
    changed = replaced(tree[first], tuple(rest), new)
    if isinstance(tree, dict):
        return {name: changed if name == first else child for name, child in tree.items()}
    return [*tree[:first], changed, *tree[first + 1 :]]


def dumped(tree: Any, raw: str = "") -> bytes:
    """Return the tree as JSON, with a raw text in its hole."""
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":")).replace(json.dumps(HOLE), raw)
    return text.encode("utf-8", "surrogatepass")


def with_something_else(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    return dumped(replaced(tree, place, HOLE), chance.choice(chance.choice(SNIPPETS)))


def with_something_more(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    inside = at(tree, place)
    if isinstance(inside, dict):
        return dumped(replaced(tree, place, {**inside, chance.choice(NAMES): HOLE}), chance.choice(chance.choice(SNIPPETS)))
    if isinstance(inside, list):
        return dumped(replaced(tree, place, [*inside, HOLE]), chance.choice(chance.choice(SNIPPETS)))
    return with_something_else(chance, tree, place)


def with_something_missing(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    inside = at(tree, place)
    if isinstance(inside, dict) and inside:
        gone = chance.choice(list(inside))
        return dumped(replaced(tree, place, {name: child for name, child in inside.items() if name != gone}))
    if isinstance(inside, list) and inside:
        gone = chance.randrange(len(inside))
        return dumped(replaced(tree, place, inside[:gone] + inside[gone + 1 :]))
    return dumped(replaced(tree, place, None))


def with_something_twice(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    inside = at(tree, place)
    if isinstance(inside, dict) and inside:
        name, child = chance.choice(list(inside.items()))
        again = f",{json.dumps(name)}:{json.dumps(child)}}}"
        return dumped(replaced(tree, place, HOLE), json.dumps(inside)[:-1] + again)
    return dumped(replaced(tree, place, [inside, inside]))


def with_another_name(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    inside = at(tree, place)
    if not isinstance(inside, dict) or not inside:
        return with_something_else(chance, tree, place)
    old, new = chance.choice(list(inside)), chance.choice(NAMES)
    return dumped(replaced(tree, place, {new if name == old else name: child for name, child in inside.items()}))


def with_another_order(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    inside = at(tree, place)
    shuffled = list(inside.items() if isinstance(inside, dict) else inside if isinstance(inside, list) else [inside])
    chance.shuffle(shuffled)
    return dumped(replaced(tree, place, dict(shuffled) if isinstance(inside, dict) else shuffled))


def with_a_mark_around(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    inside = at(tree, place)
    marks: list[Any] = [{"$tuple": [inside]}, {"$tuple": inside}, {"$array": inside}, {"$foreign": inside}, {"$array": ["int8", inside]}]
    marks += [{"$absent": inside}, {"$absent": ["x", inside]}, [inside]]
    return dumped(replaced(tree, place, chance.choice(marks)))


def with_two_things_swapped(chance: Random, tree: Any, place: tuple[Any, ...]) -> bytes:
    other = a_place(chance, tree)
    if other[: len(place)] == place or place[: len(other)] == other:
        return with_something_else(chance, tree, place)
    return dumped(replaced(replaced(tree, place, at(tree, other)), other, at(tree, place)))


OF_JSON = (
    with_something_else, with_something_else, with_something_else, with_something_more, with_something_more, with_something_missing,
    with_something_twice, with_another_name, with_another_order, with_a_mark_around, with_two_things_swapped,
)  # fmt: skip


def with_another_header(chance: Random, frame: bytes) -> bytes:
    """Change the JSON at one place, and adapt the length in the prefix."""
    prefix, header, body = parts(frame)
    tree = tree_of(header)
    changed = chance.choice(OF_JSON)(chance, tree, a_place(chance, tree))
    return framed(prefix, changed, body)


OF_FRAMES: tuple[Callable[[Random, bytes], bytes], ...] = (
    with_flipped_bits, with_a_byte_overwritten, cut_short, drawn_out, with_a_slice_left_out, with_a_slice_doubled, with_two_slices_swapped,
    with_another_prefix, with_another_body, with_invalid_utf_8, *[with_another_header] * 14,
)  # fmt: skip


def mutant(chance: Random, frame: bytes) -> bytes:
    """Return the frame after one to three kinds of damage."""
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        with suppress(ValueError, IndexError, RecursionError):  # bytes that are no longer a frame cannot be damaged in every way
            frame = chance.choice(OF_FRAMES)(chance, frame)
    return frame


def mutants(name: str, count: int) -> Iterator[bytes]:
    chance = Random(name)
    return (mutant(chance, FRAMES[name]) for _ in range(count))


# Reading the mutants


@dataclass
class Tally:
    """The numbers of accepted and refused frames, and every violation: escaped exceptions, changed messages, slow frames."""

    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    escaped: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)

    def add(self, name: str, frame: bytes) -> None:
        started = time.thread_time()
        try:
            messages = read(frame)
        except Exception as error:
            self.escaped.append(f"{told(error)}: {frame!r}")
        else:
            (self.accepted if any(isinstance(message, KINDS) for message in messages) else self.refused)[name] += 1
            for message in messages:
                self.look_at(message, frame)
        if time.thread_time() - started > PATIENCE_S:
            self.slow.append(repr(frame))

    def look_at(self, message: Message | ProtocolError, frame: bytes) -> None:
        if isinstance(message, ProtocolError):
            self.reasons[reason(message)] += 1
        elif (complaint := sent_again(message)) is not None:
            self.changed.append(f"{complaint}: {frame!r}")


def read(frame: bytes) -> list[Message | ProtocolError]:
    """Decode a frame as the grader decodes an answer, and as the worker decodes a question."""
    found: list[Message | ProtocolError] = []
    for decode in (as_an_answer, as_a_question):
        try:
            found.append(decode(frame))
        except ProtocolError as error:
            found.append(error)
    return found


def as_an_answer(frame: bytes) -> Message:
    return messages.decode(messages.ANSWERS, frame, framing.ANSWER_HEADER_BYTES, BODY_BYTES)[1]


def as_a_question(frame: bytes) -> Message:
    return messages.decode(messages.QUESTIONS, frame, framing.QUESTION_HEADER_BYTES, BODY_BYTES)[1]


def sent_again(message: Message) -> str | None:
    """Encode and decode an accepted message once more. Return the fault in its types or its round trip, or None."""
    try:
        frame = messages.encode(message)
        again = as_an_answer(frame) if isinstance(message, Observation) else as_a_question(frame)
        if messages.encode(again) != frame or repr(again) != repr(message):
            return "it changed on its way"
    except Exception as error:
        return told(error)
    if isinstance(message, PlayQuestion) and not isinstance(message.request.inputs, dict):
        return f"inputs that are a {type(message.request.inputs).__name__}"
    strange = [value for value in message.values.values() if not isinstance(value, Value)] if isinstance(message, Observation) else []
    return f"values such as {strange[0]!r}" if strange else None


def told(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


def reason(error: ProtocolError) -> str:
    """Return the beginning of a refusal without quoted names and numbers. All refusals by JSON itself are one reason."""
    text = re.sub(r"'(?:[^'\\]|\\.)*'|\"[^\"]*\"|\d+", "…", str(error))
    known = "a header that cannot be read" in text and "valid Cause" not in text
    return "a header that cannot be read" if known else text[:48]


@pytest.fixture(scope="module")
def tally() -> Tally:
    """Read all mutants of all frames once."""
    found = Tally()
    for name in FRAMES:
        for frame in mutants(name, MUTANTS_PER_FRAME):
            found.add(name, frame)
    return found


def test_damaged_frames_raise_only_protocol_errors(tally: Tally) -> None:
    assert tally.escaped == []


def test_accepted_messages_survive_another_round_trip(tally: Tally) -> None:
    assert tally.changed == []


def test_no_frame_takes_long_to_read(tally: Tally) -> None:
    assert tally.slow == []


def test_mutants_reach_many_checks(tally: Tally) -> None:
    total = len(FRAMES) * MUTANTS_PER_FRAME
    assert total >= 60_000 and tally.accepted.total() + tally.refused.total() + len(tally.escaped) == total
    assert tally.accepted.total() >= 0.05 * total and tally.refused.total() >= 0.5 * total
    assert all(tally.accepted[name] >= 0.02 * MUTANTS_PER_FRAME for name in FRAMES), tally.accepted
    assert len(tally.reasons) >= 20, tally.reasons


def test_undamaged_frames_are_accepted() -> None:
    for frame in FRAMES.values():
        assert [type(message) in KINDS for message in read(frame)].count(True) == 1


# Memory


def memory_bytes(frame: bytes) -> int:
    """Return the peak memory while a frame is read."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    read(frame)
    return tracemalloc.get_traced_memory()[1] - before


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def full_header(head: str, item: str, tail: str, kind: int, size: int = framing.ANSWER_HEADER_BYTES) -> bytes:
    """Return a frame whose header is as long as the limit, filled with copies of one item."""
    count = (size - len(head) - len(tail)) // (len(item) + 1)
    header = (head + ",".join(item.replace("#", f"{number:06}") for number in range(count)) + tail).encode()
    return framed((framing.MAGIC, framing.VERSION, kind, 0), header, b"")


ERRORS = '{"values":{},"error":{"cause":"raised","message":"","types":[],"frames":['
INPUTS, ASKED = '{"request":{"probe":"p","inputs":{"x":[', ']}},"size_limit_bytes":0,"source":null,"exactly":false}'
LARGE = {
    "numbers in an answer": full_header('{"values":{', '"#":1', '},"error":null}', 3),
    "lists in an answer": full_header('{"values":{"x":[', "[]", ']},"error":null}', 3),
    "empty arrays in an answer": full_header('{"values":{', '"#":{"$array":["int8",[0]]}', '},"error":null}', 3),
    "descriptions in an answer": full_header('{"values":{', '"#":{"$foreign":["form","","",[],"",""]}', '},"error":null}', 3),
    "names of what is absent in an answer": full_header('{"values":{"x":{"$absent":["",[', '""', "]]}}}", 3),
    "frames in an error": full_header(ERRORS, '{"line":1,"function":"","text":"","column":0,"width":0}', '],"step":null,"meant":""}}', 3),
    "dimensions of an array": full_header('{"values":{"x":{"$array":["int8",[', "0", "]]}}}", 3),
    "escapes in a text": full_header('{"values":{"x":"', r"\u03c3", '"},"error":null}', 3),
    "lists in a question": full_header(INPUTS, "[]", ASKED, 2),
    "objects in a question": full_header(INPUTS, '{"a":0}', ASKED, 2),
    "tuples in a question": full_header(INPUTS, '{"$tuple":[]}', ASKED, 2),
    **{f"as much {dtype} as allowed": messages.encode(Observation({"x": numbers(dtype, BODY_BYTES // 8)})) for dtype in DTYPES},
}


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("name", LARGE)
def test_full_frame_takes_memory_in_proportion(name: str) -> None:
    assert memory_bytes(LARGE[name]) <= MOST_TIMES * len(LARGE[name]) + MOST_MORE_BYTES


@pytest.mark.usefixtures("traced")
def test_damaged_frame_takes_memory_in_proportion() -> None:
    for name in FRAMES:
        for frame in mutants(name, 60):
            assert memory_bytes(frame) <= MOST_TIMES * len(frame) + MOST_MORE_BYTES, frame


# Through a pipe


def received(stream: bytes, chunks: Callable[[], int]) -> tuple[list[Message], str]:
    """Write a stream into a pipe piece by piece. Return the messages received, and "end" or "refused"."""
    reading, writing = os.pipe()
    writer = threading.Thread(target=write_in_pieces, args=(writing, stream, chunks))
    writer.start()
    found: list[Message] = []
    try:
        with closing(os.fdopen(reading, "rb", buffering=0)):
            while True:
                found.append(messages.receive(reading, KINDS, framing.QUESTION_HEADER_BYTES, lambda: BODY_BYTES)[1])
    except EOFError:
        return found, "end"
    except ProtocolError:
        return found, "refused"
    finally:
        writer.join()


def write_in_pieces(fd: int, stream: bytes, chunks: Callable[[], int]) -> None:
    rest = memoryview(stream)
    try:
        while rest:
            rest = rest[os.write(fd, rest[: chunks()]) :]
    except BrokenPipeError:
        pass
    finally:
        os.close(fd)


def in_one_piece(stream: bytes) -> tuple[list[Message], str]:
    """Return the same as `received`, but decode the stream without a pipe."""
    found: list[Message] = []
    while stream:
        promised = sum(framing.PREFIX.unpack(stream[: framing.PREFIX.size])[4:]) if len(stream) >= framing.PREFIX.size else 0
        frame, stream = stream[: framing.PREFIX.size + promised], stream[framing.PREFIX.size + promised :]
        try:
            found.append(messages.decode(KINDS, frame, framing.QUESTION_HEADER_BYTES, BODY_BYTES)[1])
        except ProtocolError:
            return found, "refused"
    return found, "end"


@pytest.mark.parametrize("name", FRAMES)
def test_a_stream_may_end_anywhere(name: str) -> None:
    frame = FRAMES[name]
    for end in range(len(frame) + 1):
        reading, writing = os.pipe()
        os.write(writing, frame[:end])
        os.close(writing)
        expected = EOFError if end == 0 else ProtocolError if end < len(frame) else None
        raised: type[Exception] | None = None
        try:
            messages.receive(reading, KINDS, framing.QUESTION_HEADER_BYTES, lambda: BODY_BYTES)
        except (EOFError, ProtocolError) as error:
            raised = type(error)
        finally:
            os.close(reading)
        assert raised is expected, end


def test_frames_arrive_in_pieces_as_in_one_piece() -> None:
    """Put a damaged frame among whole ones: the frames before it arrive, and a stream out of step is refused."""
    chance, endings = Random(1), Counter[str]()
    for name in FRAMES:
        for damaged in mutants(name, 40):
            before, after = (chance.choices(list(FRAMES.values()), k=chance.randint(0, 2)) for _ in range(2))
            stream = b"".join([*before, damaged, *after])
            found, ending = received(stream, lambda: chance.choice([1, 3, 20, 4000]))
            whole, expected = in_one_piece(stream)
            assert (list(map(repr, found)), ending) == (list(map(repr, whole)), expected), stream
            assert [messages.encode(message, 7) for message in found[: len(before)]] == before
            endings[ending] += 1
    assert min(endings["end"], endings["refused"]) > 50
