"""Frames between grader and worker: a fixed prefix, a bounded JSON header, then the raw little-endian bytes of its arrays.

An array stands in the header as `{"$array": [dtype, shape]}`; its bytes follow in the order in which the header names them, so nothing
can overlap or be left over. Whatever a frame holds, reading it either succeeds or raises `ProtocolError`.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from normgrade.language import _
from normgrade.worker.observation import Array, Cause, Error, Foreign, Frame, Observation, Playable, Request, Value

PREFIX = struct.Struct("<4sBBHIQ")  # magic, version, kind, serial, bytes of header, bytes of body
MAGIC = b"norm"
VERSION = 1
QUESTION_HEADER_BYTES = 4 * 1024**2  # room for the source of a submission, escaped
ANSWER_HEADER_BYTES = 64 * 1024
VALUES_PER_ANSWER = 256  # as many values of the largest size as one answer may hold
DIMENSIONS = 32
DEPTH = 64  # of inputs in inputs
CHUNK_BYTES = 1024**2
DTYPES = {
    "float16": "<f2", "bfloat16": "<u2", "float32": "<f4", "float64": "<f8",
    "int8": "<i1", "int16": "<i2", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "bool": "|u1",
}  # fmt: skip
SURROGATE = re.compile("[\ud800-\udfff]")


class ProtocolError(Exception):
    """These bytes are no frame, or this message cannot be one."""


@dataclass(frozen=True, slots=True)
class Load:
    """Execute this source as the module `name`; answered by an observation, empty if all went well."""

    source: str
    file_name: str
    name: str


@dataclass(frozen=True, slots=True)
class Play:
    """Answer this request; a value of more than `size_limit_bytes` is described, not returned."""

    request: Playable
    size_limit_bytes: int


@dataclass(frozen=True, slots=True)
class Ban:
    """Let what matches these patterns raise, but for what is allowed; answered by an empty observation."""

    banned: tuple[str, ...]
    allowed: tuple[str, ...]


Question = Load | Play | Ban
Message = Question | Observation
M = TypeVar("M", bound=Message)
QUESTIONS: tuple[type[Question], ...] = (Load, Play, Ban)
KINDS: dict[type[Any], int] = {Load: 1, Play: 2, Observation: 3, Ban: 4}


class Prefix(NamedTuple):
    """What the first bytes of a frame say: its kind, which question it belongs to, and how long it is."""

    kind: int
    serial: int
    header_bytes: int
    body_bytes: int


def body_limit_bytes(size_limit_bytes: int) -> int:
    """How long the arrays of an answer may be together, where one may be `size_limit_bytes` long."""
    return VALUES_PER_ANSWER * size_limit_bytes


def send(fd: int, frame: bytes) -> None:
    """Write a whole frame."""
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(fd, rest[:CHUNK_BYTES]) :]


def receive(fd: int, kinds: type[M] | tuple[type[M], ...], header_limit: int, body_limit: Callable[[], int]) -> tuple[int, M]:
    """Wait for one whole frame: its serial and its message. The end of the stream before its first byte is an EOFError."""
    prefix_bytes = read_exactly(fd, PREFIX.size)
    if not prefix_bytes:
        raise EOFError
    prefix = read_prefix(prefix_bytes, header_limit, body_limit())
    return prefix.serial, read_message(kinds, prefix, read_exactly(fd, prefix.header_bytes + prefix.body_bytes))


def read_exactly(fd: int, size: int) -> bytes:
    """So many bytes; nothing if the stream ends before the first."""
    chunks, left = [], size
    while left:
        chunk = os.read(fd, min(left, CHUNK_BYTES))
        if not chunk and left < size:
            raise ProtocolError(_("the stream ended {left} bytes before the end of a frame", left=left))
        if not chunk:
            return b""
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def decode(
    kinds: type[M] | tuple[type[M], ...], frame: bytes, header_limit: int = ANSWER_HEADER_BYTES, body_limit: int = 0
) -> tuple[int, M]:
    """The serial and the message of exactly one frame."""
    prefix = read_prefix(frame[: PREFIX.size], header_limit, body_limit)
    return prefix.serial, read_message(kinds, prefix, frame[PREFIX.size :])


def read_prefix(data: bytes, header_limit: int, body_limit: int) -> Prefix:
    """Check the fixed part of a frame before anything is made of its sizes."""
    if len(data) != PREFIX.size:
        raise ProtocolError(_("a frame starts with {size} bytes, not {found}", size=PREFIX.size, found=len(data)))
    magic, version, *rest = PREFIX.unpack(data)
    prefix = Prefix(*rest)
    if magic != MAGIC or version != VERSION:
        raise ProtocolError(
            _(
                "a frame starts with {magic!r} and version {version}, not {found!r} and {other}",
                magic=MAGIC,
                version=VERSION,
                found=magic,
                other=version,
            )
        )
    if prefix.header_bytes > header_limit or prefix.body_bytes > body_limit:
        raise ProtocolError(
            _(
                "a header of {header} and a body of {body} bytes; allowed are {header_limit} and {body_limit}",
                header=prefix.header_bytes,
                body=prefix.body_bytes,
                header_limit=header_limit,
                body_limit=body_limit,
            )
        )
    return prefix


def read_message(kinds: type[M] | tuple[type[M], ...], prefix: Prefix, rest: bytes) -> M:
    """What comes after the prefix, as one of the messages that may come now."""
    allowed = {KINDS[kind]: kind for kind in (kinds if isinstance(kinds, tuple) else (kinds,))}
    if prefix.kind not in allowed:
        known = _(" or ").join(map(str, allowed))
        raise ProtocolError(_("a frame of kind {kind}; expected is {known}", kind=prefix.kind, known=known))
    promised = prefix.header_bytes + prefix.body_bytes
    if len(rest) != promised:
        raise ProtocolError(_("{found} bytes after the prefix, which promised {promised}", found=len(rest), promised=promised))
    body = Body(memoryview(rest)[prefix.header_bytes :])
    try:
        header = json.loads(rest[: prefix.header_bytes].decode(), object_pairs_hook=unique)
        message = READERS[allowed[prefix.kind]](header, body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(_("a header that cannot be read: {error}", error=error)) from error
    body.finish()
    return cast(M, message)


@dataclass(slots=True)
class Body:
    """The bytes of the arrays, taken one after the other."""

    data: memoryview
    taken: int = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.taken

    def take(self, size_bytes: int) -> memoryview:
        if size_bytes > self.left:
            raise ProtocolError(_("an array of {size} bytes where {left} are left", size=size_bytes, left=self.left))
        self.taken += size_bytes
        return self.data[self.taken - size_bytes : self.taken]

    def finish(self) -> None:
        if self.left:
            raise ProtocolError(_("{left} bytes that belong to no array", left=self.left))


def encode(message: Message, serial: int = 0) -> bytes:
    """A message as one frame."""
    arrays: list[bytes] = []
    text = json.dumps(WRITERS[type(message)](message, arrays), ensure_ascii=False, separators=(",", ":"))
    header = text.encode("utf-8", "replace")  # lone surrogates become question marks
    prefix = PREFIX.pack(MAGIC, VERSION, KINDS[type(message)], serial, len(header), sum(map(len, arrays)))
    return b"".join((prefix, header, *arrays))


def write_load(load: Load, arrays: list[bytes]) -> dict[str, Any]:
    return {"source": load.source, "file_name": load.file_name, "name": load.name}


def read_load(header: Any, body: Body) -> Load:
    source, file_name, name = fields(header, "source", "file_name", "name")
    return Load(text(source), text(file_name), text(name))


def write_play(play: Play, arrays: list[bytes]) -> dict[str, Any]:
    inputs = write_inputs(play.request.inputs, arrays)
    return {"probe": play.request.probe, "size_limit_bytes": play.size_limit_bytes, "inputs": inputs}


def read_play(header: Any, body: Body) -> Play:
    probe, size_limit_bytes, inputs = fields(header, "probe", "size_limit_bytes", "inputs")
    if not isinstance(inputs, dict):
        raise ProtocolError(_("inputs that are no object"))
    read = {named(name): read_inputs(value, body) for name, value in inputs.items()}
    return Play(Request(text(probe), read), natural(size_limit_bytes))


def write_ban(ban: Ban, arrays: list[bytes]) -> dict[str, Any]:
    return {"banned": list(ban.banned), "allowed": list(ban.allowed)}


def read_ban(header: Any, body: Body) -> Ban:
    banned, allowed = fields(header, "banned", "allowed")
    return Ban(tuple(map(text, items(banned))), tuple(map(text, items(allowed))))


def write_observation(observation: Observation, arrays: list[bytes]) -> dict[str, Any]:
    values = {place: write_value(value, arrays) for place, value in observation.values.items()}
    return {"values": values, "error": None if observation.error is None else write_error(observation.error)}


def read_observation(header: Any, body: Body) -> Observation:
    values, error = fields(header, "values", "error")
    if not isinstance(values, dict):
        raise ProtocolError(_("values that are no object"))
    seen = {text(place): read_value(value, body) for place, value in values.items()}
    return Observation(seen, None if error is None else read_error(error))


WRITERS: dict[type[Any], Callable[[Any, list[bytes]], dict[str, Any]]] = {
    Load: write_load,
    Play: write_play,
    Ban: write_ban,
    Observation: write_observation,
}
READERS: dict[type[Any], Callable[[Any, Body], Message]] = {
    Load: read_load,
    Play: read_play,
    Ban: read_ban,
    Observation: read_observation,
}


def write_error(error: Error) -> dict[str, Any]:
    frames = [[frame.line, frame.function, frame.text] for frame in error.frames]
    return {"cause": str(error.cause), "message": error.message, "types": list(error.types), "frames": frames, "step": error.step}


def read_error(header: Any) -> Error:
    cause, message, types, frames, step = fields(header, "cause", "message", "types", "frames", "step")
    return Error(
        Cause(text(cause)),
        text(message),
        tuple(map(text, items(types))),
        tuple(map(read_frame, items(frames))),
        natural(step) if isinstance(step, int) else None if step is None else text(step),
    )


def read_frame(value: object) -> Frame:
    line, function, source = items(value, 3)
    return Frame(natural(line), text(function), text(source))


def write_inputs(inputs: object, arrays: list[bytes]) -> Any:
    """Inputs as JSON data: arrays move into the body, a tuple becomes `{"$tuple": […]}`."""
    match inputs:
        case Mapping():
            return {named(name): write_inputs(value, arrays) for name, value in inputs.items()}
        case tuple():
            return {"$tuple": write_inputs(list(inputs), arrays)}
        case list():
            return [write_inputs(value, arrays) for value in inputs]
        case _:
            return write_value(inputs, arrays)


def read_inputs(inputs: object, body: Body, depth: int = 0) -> Any:
    if depth > DEPTH:
        raise ProtocolError(_("inputs more than {depth} deep", depth=DEPTH))
    match inputs:
        case {"$array": _} | {"$foreign": _}:
            return read_value(inputs, body)
        case {"$tuple": values} if isinstance(inputs, dict) and len(inputs) == 1:
            return tuple(read_inputs(value, body, depth + 1) for value in items(values))
        case dict():
            return {named(name): read_inputs(value, body, depth + 1) for name, value in inputs.items()}
        case list():
            return [read_inputs(value, body, depth + 1) for value in inputs]
        case _:
            return read_value(inputs, body)


def named(name: object) -> str:
    """The name of an input."""
    if not isinstance(name, str) or name.startswith("$"):
        raise ProtocolError(_("inputs with the name {name!r}; a name is a text that does not start with a dollar sign", name=name))
    return text(name)


def write_value(value: object, arrays: list[bytes]) -> Any:
    match value:
        case Array():
            arrays.append(to_bytes(value))
            return {"$array": [value.dtype, list(value.values.shape)]}
        case Foreign(description, dtype, shape):
            return {"$foreign": [description, dtype, None if shape is None else list(shape)]}
        case int() if not -(2**63) <= value < 2**63:
            raise ProtocolError(_("an int of more than 64 bits cannot travel"))
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise ProtocolError(_("a {type} cannot travel; numbers do as an Array", type=type(value).__name__))


def read_value(value: object, body: Body) -> Value:
    match value:
        case {"$array": description} if isinstance(value, dict) and len(value) == 1:
            return read_array(description, body)
        case {"$foreign": described} if isinstance(value, dict) and len(value) == 1:
            description, dtype, shape = items(described, 3)
            return Foreign(text(description), None if dtype is None else text(dtype), None if shape is None else dimensions(shape))
        case None | bool() | float():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case str():
            return text(value)
        case _:
            raise ProtocolError(_("a value that is neither an array, a description, a number, a text nor null"))


def to_bytes(array: Array) -> bytes:
    """The numbers of an array in C order and little-endian; bfloat16 as the upper half of its float32."""
    if array.dtype not in DTYPES:
        raise unknown_dtype(array.dtype)
    held = "float32" if array.dtype == "bfloat16" else array.dtype
    if array.values.dtype != np.dtype(held):
        raise ProtocolError(_("an array that says {dtype} but holds {other}", dtype=array.dtype, other=array.values.dtype))
    values = np.ascontiguousarray(array.values)
    if array.dtype != "bfloat16":
        return values.astype(DTYPES[array.dtype], copy=False).tobytes()
    bits = values.view(np.uint32)
    lost = (bits & 0xFFFF != 0) & ~np.isnan(values)
    if lost.any():
        raise ProtocolError(_("{value} in an array of bfloat16, which cannot hold it", value=values[lost].flat[0]))
    quiet = np.where(np.isnan(values), np.uint32(0x0040), np.uint32(0))  # so that no NaN is cut down to infinity
    return (bits >> 16 | quiet).astype("<u2").tobytes()


def read_array(description: object, body: Body) -> Array:
    dtype, shape = items(description, 2)
    name = text(dtype)
    if name not in DTYPES:
        raise unknown_dtype(name)
    sizes = dimensions(shape)
    code = np.dtype(DTYPES[name])
    if math.prod(size for size in sizes if size) * code.itemsize >= 2**63:
        raise ProtocolError(_("an array of more bytes than there are addresses"))
    values = np.frombuffer(body.take(math.prod(sizes) * code.itemsize), code).reshape(sizes)
    if name == "bfloat16":
        return Array((values.astype(np.uint32) << 16).view(np.float32), name)
    if name == "bool" and (values > 1).any():
        raise ProtocolError(_("a bool that is neither 0 nor 1"))
    return Array(values.astype(name), name)  # a copy: writable, aligned, in the machine's byte order


def unknown_dtype(name: str) -> ProtocolError:
    return ProtocolError(_("an array of dtype {name!r}; known are {known}", name=name, known=", ".join(DTYPES)))


def dimensions(value: object) -> tuple[int, ...]:
    sizes = tuple(map(natural, items(value)))
    if len(sizes) > DIMENSIONS:
        raise ProtocolError(_("{n} dimensions; allowed are {limit}", n=len(sizes), limit=DIMENSIONS))
    return sizes


def fields(value: object, *names: str) -> Iterable[Any]:
    """The values of an object that has exactly these fields, in this order."""
    if not isinstance(value, dict) or tuple(value) != names:
        raise ProtocolError(_("expected an object of {names}", names=", ".join(names)))
    return value.values()


def items(value: object, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        any_number = _("expected a list of any number of items")
        raise ProtocolError(any_number if length is None else _("expected a list of {n} items", n=length))
    return value


def natural(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ProtocolError(_("expected a whole number from 0 up"))
    return value


def text(value: object) -> str:
    if not isinstance(value, str) or SURROGATE.search(value):
        raise ProtocolError(_("expected a text"))
    return value


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, unless it names a field twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolError(_("an object that names a field twice"))
    return found
