"""Expectations as bytes, as the cache keeps them: the size of a header, the header as JSON, and the bytes of the arrays that it names."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any

import numpy as np

from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Array, Cause, Error, Playable, Request
from normgrade.worker.wire.packing import pack, unpack
from normgrade.worker.wire.requests import TypedRequest, typed

DECODED = 512  # expectations that are held as objects: those of a few suites, needed again when many submissions are graded
HEADER = struct.Struct("<Q")  # the size of the JSON in bytes


class Damaged(Exception):
    """An error for bytes that are no expectation."""


def encode(expectation: Expectation) -> bytes:
    """Return an expectation as bytes."""
    return packed(
        {
            "request": written_request(expectation.request),
            "places": [[written_key(place), written_place(expected)] for place, expected in expectation.places.items()],
            "error": written_error(expectation.error),
        }
    )


@lru_cache(maxsize=DECODED)
def decode(content: bytes) -> Expectation:
    """Return the expectation that `encode` wrote. Raise Damaged if the bytes are anything else. The same bytes give the same object."""
    found = unpacked(content)
    try:
        places = {read_key(key): read_place(expected) for key, expected in found["places"]}
        return Expectation(read_request(found["request"]), places, read_error(found["error"]))
    except (ProtocolError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Damaged from error


def request_key(request: Playable) -> bytes:
    """Return bytes that are the same for equal requests only."""
    return packed(written_request(request))


def packed(value: object) -> bytes:
    header, arrays = pack(value)
    return b"".join((HEADER.pack(len(header)), header, *arrays))


def unpacked(content: bytes) -> Any:
    """Return the value of which `packed` made these bytes. Raise Damaged if they are anything else."""
    try:
        (header_bytes,) = HEADER.unpack_from(content)
        start = HEADER.size + header_bytes
        if start > len(content):
            raise Damaged
        return unpack(content[HEADER.size : start], memoryview(content)[start:], ours=True)
    except (ProtocolError, struct.error, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Damaged from error


def written_request(request: Playable) -> list[Any]:
    return [request.probe, request.inputs]


def read_request(content: list[Any]) -> TypedRequest:
    probe, inputs = content
    return typed(Request(probe, inputs))


def written_key(place: Place) -> list[Any]:
    return [place.template, place.step, place.learnt, dict(place.names)]


def read_key(content: list[Any]) -> Place:
    template, step, learnt, names = content
    return Place(template, step=step, learnt=learnt, **names)


def written_place(expected: Expected) -> list[Any]:
    return [expected.value, expected.dtype, expected.error, numbers(expected.spread), numbers(expected.slack)]


def read_place(content: list[Any]) -> Expected:
    value, dtype, error, spread, slack = content
    return Expected(value, dtype, values(spread), values(slack), error)


def numbers(values: np.ndarray | None) -> Array | None:
    return None if values is None else Array(values, "float64")


def values(numbers: Array | None) -> np.ndarray | None:
    return None if numbers is None else numbers.values


def written_error(error: Error | None) -> list[Any] | None:
    return None if error is None else [str(error.cause), error.message, list(error.types), error.step]


def read_error(content: list[Any] | None) -> Error | None:
    if content is None:
        return None
    cause, message, types, step = content
    return Error(Cause(cause), message, tuple(types), (), step)
