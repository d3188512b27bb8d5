"""The messages between grader and worker, each as one frame: the kinds of question, and the observation or recording that answers them.

Whatever a frame holds, reading it either succeeds or raises `ProtocolError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

from normgrade.course.ban import Ban
from normgrade.language import _
from normgrade.worker import framing, recorded
from normgrade.worker.framing import ANSWER_HEADER_BYTES, ProtocolError
from normgrade.worker.observation import Cause, Error, Frame, Observation, Playable, Put, Recording, Request, Value
from normgrade.worker.validation import fields, items, member, natural, optional, text


@dataclass(frozen=True, slots=True)
class Load:
    """Execute this source as the module `name`; answered by an observation, empty if all went well."""

    source: str
    file_name: str
    name: str


@dataclass(frozen=True)
class PlayQuestion:
    """Answer this request; a value of more than `size_limit_bytes` is described, not returned.

    With a `source`, that of the course's own is loaded first, unless it was the last one. It is played `exactly` in float64, of a request
    whose numbers are. The same question is often asked again.
    """

    request: Playable
    size_limit_bytes: int
    source: str | None = None
    exactly: bool = False

    @cached_property
    def packed(self) -> tuple[bytes, list[bytes]]:
        """The question as it is sent to every worker."""
        return packed(self)

    def is_that(self, other: PlayQuestion) -> bool:
        """Whether both ask the very same request of the same source."""
        return self.request is other.request and (self.source, self.exactly) == (other.source, other.exactly)


@dataclass(frozen=True)
class RecordQuestion:
    """Play this request once in float64, and record the values on the way; answered by a `Recording`. The request's numbers are float64.

    Without a `source`, that of the submission is played. What is expected does not go in.
    """

    request: Playable
    size_limit_bytes: int
    source: str | None = None


@dataclass(frozen=True)
class Substitute:
    """Play a source of the course's own as `RecordQuestion` says, with other values in some of its places. `keep`: record the values."""

    request: Playable
    size_limit_bytes: int
    source: str
    puts: tuple[Put, ...]
    keep: bool = False


Question = Load | PlayQuestion | RecordQuestion | Substitute | Ban  # a ban is enforced, and answered by an empty observation
OnRecord = (RecordQuestion, Substitute)  # the questions that a recording answers
Message = Question | Observation
M = TypeVar("M", bound=Message)
Kinds = type[M] | tuple[type[M], ...]
QUESTIONS: tuple[type[Question], ...] = (Load, PlayQuestion, Ban, RecordQuestion, Substitute)
ANSWERS: tuple[type[Observation], ...] = (Observation, Recording)
KINDS: dict[type[Any], int] = {Load: 1, PlayQuestion: 2, Observation: 3, Ban: 4, RecordQuestion: 5, Substitute: 6, Recording: 7}


def answered_by(question: Question) -> type[Observation]:
    """The kind of message that answers a question."""
    return Recording if isinstance(question, OnRecord) else Observation


def body_limit_bytes(question: Question) -> int:
    """How long the arrays of its answer may be together."""
    if not isinstance(question, PlayQuestion | RecordQuestion | Substitute):
        return 0
    limit = framing.body_limit_bytes(question.size_limit_bytes)
    return limit + recorded.BYTES if isinstance(question, OnRecord) else limit


def encode(message: Message, serial: int = 0) -> bytes:
    """A message as one frame."""
    return framing.build(KINDS[type(message)], serial, *(message.packed if isinstance(message, PlayQuestion) else packed(message)))


def packed(message: Message) -> tuple[bytes, list[bytes]]:
    """A message as JSON text, and the bytes of its arrays."""
    from normgrade.worker.packing import pack  # it needs NumPy, which the grader imports while the zygote starts

    return pack(written(message))


def decode(kinds: Kinds[M], frame: bytes, header_limit: int = ANSWER_HEADER_BYTES, body_limit: int = 0) -> tuple[int, M]:
    """The serial and the message of exactly one frame. Limits are in bytes."""
    return read(kinds, framing.parse(frame, header_limit, body_limit))


def receive(fd: int, kinds: Kinds[M], header_limit: int, body_limit: Callable[[], int]) -> tuple[int, M]:
    """Wait for one whole frame: its serial and its message. The end of the stream before its first byte is an EOFError."""
    return read(kinds, framing.receive(fd, header_limit, body_limit))


def read(kinds: Kinds[M], frame: framing.Parts) -> tuple[int, M]:
    """The serial and the message of a frame, which is one of those that may come now."""
    allowed = {KINDS[kind]: kind for kind in (kinds if isinstance(kinds, tuple) else (kinds,))}
    if frame.kind not in allowed:
        known = _(" or ").join(map(str, allowed))
        raise ProtocolError(_("a frame of kind {kind}; expected is {known}", kind=frame.kind, known=known))
    from normgrade.worker.packing import unpack

    message = READERS[allowed[frame.kind]](unpack(frame.header, frame.body))
    return frame.serial, cast(M, message)


def written(message: Message) -> dict[str, Any]:
    """The fields of a message."""
    match message:
        case Load():
            return {"source": message.source, "file_name": message.file_name, "name": message.name}
        case PlayQuestion(request, size_limit_bytes, source, exactly):
            how = {"size_limit_bytes": size_limit_bytes, "source": source, "exactly": exactly}
            return {"probe": request.probe, **how, "inputs": request.inputs}
        case RecordQuestion(request, size_limit_bytes, source):
            return {"probe": request.probe, "size_limit_bytes": size_limit_bytes, "source": source, "inputs": request.inputs}
        case Substitute(request, size_limit_bytes, source, puts, keep):
            how = {"size_limit_bytes": size_limit_bytes, "source": source}
            return {"probe": request.probe, **how, "puts": recorded.written_puts(puts), "keep": keep, "inputs": request.inputs}
        case Ban():
            return {"banned": list(message.banned), "allowed": list(message.allowed)}
        case Observation():
            error = None if message.error is None else write_error(message.error)
            seen = {"values": {place: as_value(value) for place, value in message.values.items()}, "error": error}
            return seen | (recorded.written_records(message.records) if isinstance(message, Recording) else {})


def write_error(error: Error) -> dict[str, Any]:
    frames = [[frame.line, frame.function, frame.text, frame.column, frame.width] for frame in error.frames]
    types = list(error.types)
    return {"cause": str(error.cause), "message": error.message, "types": types, "frames": frames, "step": error.step, "meant": error.meant}


def read_load(content: object) -> Load:
    source, file_name, name = fields(content, "source", "file_name", "name")
    return Load(text(source), text(file_name), text(name))


def read_play(content: object) -> PlayQuestion:
    probe, size_limit_bytes, source, exactly, inputs = fields(content, "probe", "size_limit_bytes", "source", "exactly", "inputs")
    return PlayQuestion(read_request(probe, inputs), natural(size_limit_bytes), optional(source), exactly is True)


def read_record_question(content: object) -> RecordQuestion:
    probe, size_limit_bytes, source, inputs = fields(content, "probe", "size_limit_bytes", "source", "inputs")
    return RecordQuestion(read_request(probe, inputs), natural(size_limit_bytes), optional(source))


def read_substitute(content: object) -> Substitute:
    names = ("probe", "size_limit_bytes", "source", "puts", "keep", "inputs")
    probe, size_limit_bytes, source, puts, keep, inputs = fields(content, *names)
    return Substitute(read_request(probe, inputs), natural(size_limit_bytes), text(source), recorded.read_puts(puts), keep is True)


def read_request(probe: object, inputs: object) -> Request:
    if not isinstance(inputs, dict):
        raise ProtocolError(_("inputs that are no object"))
    return Request(text(probe), inputs)


def read_ban(content: object) -> Ban:
    banned, allowed = fields(content, "banned", "allowed")
    return Ban(tuple(map(text, items(banned))), tuple(map(text, items(allowed))))


def read_observation(content: object) -> Observation:
    values, error = fields(content, "values", "error")
    return Observation(read_values(values), None if error is None else read_error(error))


def read_recording(content: object) -> Recording:
    values, error, records, numbers = fields(content, "values", "error", "records", "numbers")
    found = recorded.read_records(records, numbers)
    return Recording(read_values(values), None if error is None else read_error(error), records=found)


def read_values(values: object) -> dict[str, Value]:
    """What was seen, place by place."""
    if not isinstance(values, dict):
        raise ProtocolError(_("values that are no object"))
    return {place: as_value(value) for place, value in values.items()}


def read_error(content: object) -> Error:
    cause, message, types, frames, step, meant = fields(content, "cause", "message", "types", "frames", "step", "meant")
    named, lines = tuple(map(text, items(types))), tuple(map(read_frame, items(frames)))
    return Error(member(Cause, cause), text(message), named, lines, read_step(step), text(meant))


def read_frame(content: object) -> Frame:
    line, function, source, column, width = items(content, 5)
    return Frame(natural(line), text(function), text(source), natural(column), natural(width))


def as_value(thing: object) -> Value:
    """What stands at one place of an observation: no list, no tuple and no object."""
    if not isinstance(thing, Value):
        raise ProtocolError(_("a value that is neither an array, a description, a number, a text nor null"))
    return thing


READERS: dict[type[Any], Callable[[object], Message]] = {
    Load: read_load,
    PlayQuestion: read_play,
    Ban: read_ban,
    Observation: read_observation,
    RecordQuestion: read_record_question,
    Substitute: read_substitute,
    Recording: read_recording,
}


def read_step(step: object) -> int | str | None:
    """The number of a step, or a word for one."""
    return natural(step) if isinstance(step, int) else optional(step)
