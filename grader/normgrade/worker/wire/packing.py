"""Values as JSON and the raw bytes of their arrays, for messages between processes and for the cache.

A value is data as in JSON whose leaves may also be an `Array`, a `Foreign` or an `Absent`, and whose lists may be tuples. In the JSON an
array is `{"$array": [dtype, shape]}`; its numbers follow, little-endian, in the order in which the JSON names the arrays, so nothing can
overlap or be left over. Unpacking any bytes either succeeds or raises `ProtocolError`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from normgrade.language import _
from normgrade.language.places import Absent
from normgrade.worker.wire.codec import DEPTH, dimensions, items, member, named, optional, text, unique, unreadable
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Array, Foreign, Reason

DTYPES = {
    "float16": "<f2", "bfloat16": "<u2", "float32": "<f4", "float64": "<f8",
    "int8": "<i1", "int16": "<i2", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "bool": "|u1",
}  # fmt: skip
PACKED = {name: np.dtype(code) for name, code in DTYPES.items()}  # dtypes of the bytes of an array
HELD = {name: np.dtype("float32" if name == "bfloat16" else name) for name in DTYPES}  # dtypes of the numbers of an Array

TO_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
FROM_TEXT = json.JSONDecoder(object_pairs_hook=unique)


def pack(value: Any) -> tuple[bytes, list[bytes]]:
    """Return the value as JSON text, and the bytes of its arrays. Raises ProtocolError if a part of it cannot be packed."""
    arrays: list[bytes] = []
    header = TO_TEXT.encode(to_json(value, arrays))
    return header.encode("utf-8", "replace"), arrays  # lone surrogates become question marks


def unpack(header: bytes, arrays: bytes | memoryview, ours: bool = False) -> Any:
    """Return the value of this JSON text and of the joined bytes of all its arrays.

    `ours` says that only normgrade can have written it. Every object is then restored as it is read, and less is validated: every check
    reads what ships with its exercise, which takes a third of the time so.
    """
    body = Body(arrays)
    try:
        written = header.decode()
        value = json.JSONDecoder(object_hook=body.restored).decode(written) if ours else from_json(FROM_TEXT.decode(written), body, 0)
    except (ValueError, RecursionError) as error:
        raise unreadable(error) from error
    body.finish()
    return value


@dataclass(slots=True)
class Body:
    """The bytes of the arrays, taken one after the other."""

    data: bytes | memoryview
    taken: int = 0

    def take(self, size_bytes: int) -> int:
        """Take the next `size_bytes` bytes, and return the offset at which they begin."""
        start, left = self.taken, len(self.data) - self.taken
        if size_bytes > left:
            raise ProtocolError(_("an array of {size} bytes, but only {left} bytes are left", size=size_bytes, left=left))
        self.taken += size_bytes
        return start

    def restored(self, value: dict[str, Any]) -> Any:
        """Return the value of an object of our own JSON. The objects in it were restored before, one after the other."""
        if len(value) > 1:
            return value
        match value:
            case {"$array": described}:
                return array(described, self)
            case {"$tuple": content}:
                return tuple(content)
            case {"$foreign": described}:
                return foreign(*described)
            case {"$absent": described}:
                return absent(*described)
            case _:
                return {named(name): each for name, each in value.items()}

    def finish(self) -> None:
        if left := len(self.data) - self.taken:
            raise ProtocolError(_("{left} bytes that do not belong to an array", left=left))


def to_json(value: Any, arrays: list[bytes]) -> Any:
    match value:
        case None | bool() | float() | str():
            return value
        case int():
            return short(value)
        case Array():
            arrays.append(to_bytes(value))
            return {"$array": [value.dtype, value.values.shape]}
        case Mapping():
            return {named(name): to_json(each, arrays) for name, each in value.items()}
        case list():
            return [to_json(each, arrays) for each in value]
        case tuple():
            return {"$tuple": [to_json(each, arrays) for each in value]}
        case Foreign():
            return {"$foreign": [value.reason, value.type, value.dtype, value.shape, value.layout, value.device]}
        case Absent():
            return {"$absent": [value.name, value.there]}
        case _:
            raise ProtocolError(_("a {type} cannot be sent; send numbers as an Array", type=type(value).__name__))


def from_json(value: Any, body: Body, depth: int) -> Any:
    if depth > DEPTH:
        raise ProtocolError(_("values nested more than {depth} levels deep", depth=DEPTH))
    match value:
        case dict():
            return from_object(value, body, depth)
        case list():
            return [from_json(each, body, depth + 1) for each in value]
        case str():
            return text(value)
        case int():
            return short(value)
        case _:
            return value


def from_object(value: dict[str, Any], body: Body, depth: int) -> Any:
    if len(value) == 1:
        [(mark, content)] = value.items()
        match mark:
            case "$array":
                return array(content, body)
            case "$tuple":
                return tuple(from_json(each, body, depth + 1) for each in items(content))
            case "$foreign":
                return foreign(*items(content, 6))
            case "$absent":
                return absent(*items(content, 2))
    return {named(name): from_json(each, body, depth + 1) for name, each in value.items()}


def short(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ProtocolError(_("an int of more than 64 bits cannot be sent"))
    return value


def to_bytes(array: Array) -> bytes:
    """Return the numbers of an array in C order and little-endian; bfloat16 as the upper half of its float32."""
    if array.dtype not in DTYPES:
        raise unknown_dtype(array.dtype)
    values = array.values
    if values.dtype != HELD[array.dtype]:
        raise ProtocolError(_("an array declared as {dtype} that contains {other}", dtype=array.dtype, other=values.dtype))
    if array.dtype == "bfloat16":
        values = upper_half(np.ascontiguousarray(values))
    return values.astype(PACKED[array.dtype], copy=False).tobytes()


def upper_half(values: np.ndarray) -> np.ndarray:
    """Return the bits of bfloat16 numbers, which are held as float32. Raises ProtocolError for numbers that bfloat16 cannot hold."""
    bits = values.view(np.uint32)
    lost = (bits & 0xFFFF != 0) & ~np.isnan(values)
    if lost.any():
        raise ProtocolError(_("{value} in an array of bfloat16, which cannot represent it", value=values[lost].flat[0]))
    quiet = np.where(np.isnan(values), np.uint32(0x0040), np.uint32(0))  # so that no NaN is cut down to infinity
    return np.asarray(bits >> 16 | quiet)


def array(described: object, body: Body) -> Array:
    name, shape = items(described, 2)
    if not isinstance(name, str) or name not in PACKED:
        raise unknown_dtype(text(name))
    sizes, packed = dimensions(shape), PACKED[name]
    count = math.prod(sizes)
    if (count or math.prod(filter(None, sizes))) * packed.itemsize >= 2**63:
        raise ProtocolError(_("an array with more bytes than the address space"))
    values = np.ndarray(sizes, packed, body.data, body.take(count * packed.itemsize))
    if name == "bfloat16":
        return Array((values.astype(np.uint32) << 16).view(np.float32), name)
    if name == "bool" and (values > 1).any():
        raise ProtocolError(_("a bool that is neither 0 nor 1"))
    return Array(values.astype(HELD[name]), name)  # a copy: writable, aligned, in the machine's byte order


def foreign(reason: object, kind: object, dtype: object, shape: object, layout: object, device: object) -> Foreign:
    sizes = None if shape is None else dimensions(shape)
    return Foreign(member(Reason, reason), text(kind), optional(dtype), sizes, optional(layout), optional(device))


def absent(name: object, there: object) -> Absent:
    return Absent(text(name), tuple(map(text, items(there))))


def unknown_dtype(name: str) -> ProtocolError:
    return ProtocolError(_("an array of dtype {name!r}; expected one of {known}", name=name, known=", ".join(DTYPES)))
