"""The messages between grader and worker, each as one frame: three kinds of question, and the observation that answers them.

Whatever a frame holds, reading it either succeeds or raises `ProtocolError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

from normgrade.course.ban import Ban
from normgrade.language import _
from normgrade.worker import framing
from normgrade.worker.framing import ANSWER_HEADER_BYTES, ProtocolError
from normgrade.worker.observation import Cause, Error, Frame, Observation, Playable, Request, Value
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


Question = Load | PlayQuestion | Ban  # a ban is enforced, and answered by an empty observation
Message = Question | Observation
M = TypeVar("M", bound=Message)
Kinds = type[M] | tuple[type[M], ...]
QUESTIONS: tuple[type[Question], ...] = (Load, PlayQuestion, Ban)
KINDS: dict[type[Any], int] = {Load: 1, PlayQuestion: 2, Observation: 3, Ban: 4}


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
        case Ban():
            return {"banned": list(message.banned), "allowed": list(message.allowed)}
        case Observation():
            error = None if message.error is None else write_error(message.error)
            return {"values": {place: as_value(value) for place, value in message.values.items()}, "error": error}


def write_error(error: Error) -> dict[str, Any]:
    frames = [[frame.line, frame.function, frame.text, frame.column, frame.width] for frame in error.frames]
    types = list(error.types)
    return {"cause": str(error.cause), "message": error.message, "types": types, "frames": frames, "step": error.step, "meant": error.meant}


def read_load(content: object) -> Load:
    source, file_name, name = fields(content, "source", "file_name", "name")
    return Load(text(source), text(file_name), text(name))


def read_play(content: object) -> PlayQuestion:
    probe, size_limit_bytes, source, exactly, inputs = fields(content, "probe", "size_limit_bytes", "source", "exactly", "inputs")
    if not isinstance(inputs, dict):
        raise ProtocolError(_("inputs that are no object"))
    return PlayQuestion(Request(text(probe), inputs), natural(size_limit_bytes), optional(source), exactly is True)


def read_ban(content: object) -> Ban:
    banned, allowed = fields(content, "banned", "allowed")
    return Ban(tuple(map(text, items(banned))), tuple(map(text, items(allowed))))


def read_observation(content: object) -> Observation:
    values, error = fields(content, "values", "error")
    if not isinstance(values, dict):
        raise ProtocolError(_("values that are no object"))
    seen = {place: as_value(value) for place, value in values.items()}
    return Observation(seen, None if error is None else read_error(error))


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
}


def read_step(step: object) -> int | str | None:
    """The number of a step, or a word for one."""
    return natural(step) if isinstance(step, int) else optional(step)
