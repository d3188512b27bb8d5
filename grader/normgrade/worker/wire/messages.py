"""The messages between grader and worker, each as one frame: the kinds of question, and the observation or recording that answers them.

Reading a frame with any content either succeeds or raises `ProtocolError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

from normgrade.course.ban import Ban
from normgrade.language import _
from normgrade.worker.wire import framing
from normgrade.worker.wire.codec import CODECS, Codec, any_object, codec, items, natural, same
from normgrade.worker.wire.framing import ANSWER_HEADER_BYTES, ProtocolError
from normgrade.worker.wire.observation import (
    MOST_DIMENSIONS,
    MOST_NUMBERS,
    MOST_OF_ALL,
    MOST_RECORDS,
    Array,
    Observation,
    Playable,
    Put,
    Record,
    Recording,
    Request,
    Value,
)

VALUES_PER_ANSWER = 256  # as many values of the largest size as one answer may hold
RECORDS_BYTES = 8 * MOST_OF_ALL
FLOATS = ("float64", "float32", "float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Load:
    """A request to execute this source as the module `name`. Its answer is an observation, empty if all went well.

    If the source is in cells, the observation has a text for each statement that failed, by its line. It has an error only if one of the
    names that the module `defines` is missing.
    """

    source: str
    file_name: str
    name: str
    defines: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlayQuestion:
    """A request to play a probe. A value of more than `size_limit_bytes` is described, not returned.

    With a `source`, which is one of the course's own, the worker loads it first, unless it was the last one. With `exactly`, the probe is
    played in float64, and the numbers of the request are float64 too. The same question is often asked again.
    """

    request: Playable
    size_limit_bytes: int
    source: str | None = None
    exactly: bool = False

    @cached_property
    def packed(self) -> tuple[bytes, list[bytes]]:
        """The packed question, which is sent to every worker."""
        return packed(self)

    def is_that(self, other: PlayQuestion) -> bool:
        """Return True if both questions hold the same request object, and play the same source in the same dtype."""
        return self.request is other.request and (self.source, self.exactly) == (other.source, other.exactly)


@dataclass(frozen=True)
class RecordQuestion:
    """A request to play a probe once in float64 and record the values on the way. Its numbers are float64. A `Recording` answers it.

    Without a `source`, which is one of the course's own, the submission is played. `puts` replace values in some of its places. Without
    `keep`, no values are recorded. The question holds no expected values.
    """

    request: Playable
    size_limit_bytes: int
    source: str | None = None
    puts: tuple[Put, ...] = ()
    keep: bool = True


Question = Load | PlayQuestion | RecordQuestion | Ban  # the worker enforces a ban, and answers it by an empty observation
Message = Question | Observation
M = TypeVar("M", bound=Message)
Kinds = type[M] | tuple[type[M], ...]
QUESTIONS: tuple[type[Question], ...] = (Load, PlayQuestion, Ban, RecordQuestion)
ANSWERS: tuple[type[Observation], ...] = (Observation, Recording)
KINDS: dict[type[Any], int] = {Load: 1, PlayQuestion: 2, Observation: 3, Ban: 4, RecordQuestion: 5, Recording: 6}


def answered_by(question: Question) -> type[Observation]:
    """Return the kind of message that answers a question."""
    return Recording if isinstance(question, RecordQuestion) else Observation


def body_limit_bytes(question: Question) -> int:
    """Return how many bytes the arrays of its answer may have together."""
    match question:
        case PlayQuestion():
            return VALUES_PER_ANSWER * question.size_limit_bytes
        case RecordQuestion():
            return VALUES_PER_ANSWER * question.size_limit_bytes + RECORDS_BYTES
    return 0


def encode(message: Message, serial: int = 0) -> bytes:
    """Encode a message as one frame."""
    return framing.build(KINDS[type(message)], serial, *(message.packed if isinstance(message, PlayQuestion) else packed(message)))


def packed(message: Message) -> tuple[bytes, list[bytes]]:
    """Return a message as JSON text, and the bytes of its arrays."""
    from normgrade.worker.wire.packing import pack  # it needs NumPy, which the grader imports while the zygote starts

    return pack(codec(type(message)).write(message))


def decode(kinds: Kinds[M], frame: bytes, header_limit: int = ANSWER_HEADER_BYTES, body_limit: int = 0) -> tuple[int, M]:
    """Return the serial and the message of exactly one frame. Limits are in bytes."""
    return read(kinds, framing.parse(frame, header_limit, body_limit))


def receive(fd: int, kinds: Kinds[M], header_limit: int, body_limit: Callable[[], int]) -> tuple[int, M]:
    """Wait for one whole frame; return its serial and its message. Raises EOFError if the stream ends before its first byte."""
    return read(kinds, framing.receive(fd, header_limit, body_limit))


def read(kinds: Kinds[M], frame: framing.Parts) -> tuple[int, M]:
    """Return the serial and the message of a frame. Raises ProtocolError if its kind is none of `kinds`."""
    allowed = {KINDS[kind]: kind for kind in (kinds if isinstance(kinds, tuple) else (kinds,))}
    if frame.kind not in allowed:
        known = _(" or ").join(map(str, allowed))
        raise ProtocolError(_("a frame of kind {kind}; expected {known}", kind=frame.kind, known=known))
    from normgrade.worker.wire.packing import unpack  # loads NumPy

    message = codec(allowed[frame.kind]).read(unpack(frame.header, frame.body))
    return frame.serial, cast(M, message)


# Their fields


def as_value(thing: object) -> Value:
    """Return a value at one place of an observation. Raises ProtocolError for a list, a tuple or an object."""
    if not isinstance(thing, Value):
        raise ProtocolError(_("a value that is neither an array, a description, a number, a text nor null"))
    return thing


def as_values(values: object) -> dict[str, Value]:
    """Return the values of an observation, by place."""
    return {place: as_value(value) for place, value in any_object(values).items()}


def as_request(request: Playable) -> dict[str, Any]:
    """Return a request as it crosses to the worker."""
    return {"probe": request.probe, "inputs": request.inputs}


def as_floats(thing: object) -> Array:
    """Return an array of float64."""
    if not isinstance(thing, Array) or thing.dtype != "float64":
        raise ProtocolError(_("numbers that are not an array of float64"))
    return thing


def written_record(record: Record) -> list[Any]:
    return [record.place, record.iteration, record.dtype, Array(record.values, "float64")]


def read_records(rows: object) -> tuple[Record, ...]:
    """Return the records of an answer. Raises ProtocolError if they are too many, or hold too many numbers."""
    records = tuple(map(read_record, items(rows)))
    if len(records) > MOST_RECORDS or sum(record.values.size for record in records) > MOST_OF_ALL:
        raise ProtocolError(_("{n} records; at most {limit} are allowed", n=len(records), limit=MOST_RECORDS))
    return records


def read_record(row: object) -> Record:
    place, iteration, dtype, numbers = items(row, 4)
    values = as_floats(numbers).values
    if dtype not in FLOATS or values.ndim > MOST_DIMENSIONS or not 0 < values.size <= MOST_NUMBERS:
        raise ProtocolError(_("a record of the shape {shape}", shape=values.shape))
    return Record(natural(place), natural(iteration), dtype, values)


CODECS.update(
    {
        Playable: Codec(as_request, codec(Request).read),
        Mapping[str, Value]: Codec(as_values, as_values),
        tuple[Record, ...]: Codec(lambda records: [*map(written_record, records)], read_records),
        Array: Codec(same, as_floats),
    }
)
