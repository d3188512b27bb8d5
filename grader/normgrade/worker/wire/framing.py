"""Frames between grader and worker: a fixed prefix, then a header and a body of the sizes that the prefix states.

Sizes are checked against a limit before anything is read or allocated for them.
"""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

from normgrade.language import _

PREFIX = struct.Struct("<4sBBHIQ")  # magic, version, kind, serial, bytes of header, bytes of body
MAGIC = b"norm"
VERSION = 1
QUESTION_HEADER_BYTES = 4 * 1024**2  # room for the source of a submission, escaped
ANSWER_HEADER_BYTES = 256 * 1024  # room for fifty steps whose every tensor is missing, with the names of those that are there
CHUNK_BYTES = 1024**2
MARK = "\0normgrade {:05} answered\0"  # the worker writes it after the output of each answer


class ProtocolError(Exception):
    """Bytes that are not a valid frame, or a message that cannot be sent as one."""


class Prefix(NamedTuple):
    """The fields of a frame's prefix: its kind, the serial of the question that it belongs to, and its sizes."""

    kind: int
    serial: int
    header_bytes: int
    body_bytes: int


class Parts(NamedTuple):
    """The parts of a frame that was read."""

    kind: int
    serial: int
    header: bytes
    body: memoryview


def build(kind: int, serial: int, header: bytes, arrays: Iterable[bytes]) -> bytes:
    """Return the bytes of a frame. Its body is the arrays, one after the other."""
    body = b"".join(arrays)
    return b"".join((PREFIX.pack(MAGIC, VERSION, kind, serial, len(header), len(body)), header, body))


def parse(frame: bytes, header_limit: int, body_limit: int) -> Parts:
    """Return the parts of exactly one frame. Raises ProtocolError for more, fewer or other bytes. Limits are in bytes."""
    return split(read_prefix(frame[: PREFIX.size], header_limit, body_limit), frame[PREFIX.size :])


def send(fd: int, frame: bytes) -> None:
    """Write a whole frame."""
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(fd, rest[:CHUNK_BYTES]) :]


def receive(fd: int, header_limit: int, body_limit: Callable[[], int]) -> Parts:
    """Wait for one whole frame and return its parts. Raises EOFError if the stream ends before its first byte."""
    prefix_bytes = read_exactly(fd, PREFIX.size)
    if not prefix_bytes:
        raise EOFError
    prefix = read_prefix(prefix_bytes, header_limit, body_limit())
    return split(prefix, read_exactly(fd, prefix.header_bytes + prefix.body_bytes))


def read_exactly(fd: int, size: int) -> bytes:
    """Read `size` bytes; return none if the stream ends before the first, and raise ProtocolError if it ends later."""
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


def read_prefix(data: bytes, header_limit: int, body_limit: int) -> Prefix:
    """Check the prefix of a frame before its sizes are used, and return its fields."""
    if len(data) != PREFIX.size:
        raise ProtocolError(_("a frame starts with {size} bytes, not with {found}", size=PREFIX.size, found=len(data)))
    magic, version, *rest = PREFIX.unpack(data)
    prefix = Prefix(*rest)
    if magic != MAGIC or version != VERSION:
        raise ProtocolError(
            _(
                "a frame starts with {magic!r} and version {version}, not with {found!r} and {other}",
                magic=MAGIC,
                version=VERSION,
                found=magic,
                other=version,
            )
        )
    if prefix.header_bytes > header_limit or prefix.body_bytes > body_limit:
        raise ProtocolError(
            _(
                "a header of {header} bytes and a body of {body} bytes; at most {header_limit} and {body_limit} are allowed",
                header=prefix.header_bytes,
                body=prefix.body_bytes,
                header_limit=header_limit,
                body_limit=body_limit,
            )
        )
    return prefix


def split(prefix: Prefix, rest: bytes) -> Parts:
    """Split the bytes after the prefix into header and body. Raises ProtocolError if they are more or fewer than it promised."""
    promised = prefix.header_bytes + prefix.body_bytes
    if len(rest) != promised:
        raise ProtocolError(_("{found} bytes after the prefix, which declares {promised}", found=len(rest), promised=promised))
    return Parts(prefix.kind, prefix.serial, rest[: prefix.header_bytes], memoryview(rest)[prefix.header_bytes :])


def mark(serial: int) -> bytes:
    """Return the bytes that end the output of the answer with this serial."""
    return MARK.format(serial).encode()


MARK_BYTES = len(mark(0))


# Between grader and zygote over their socket, one question and one answer; and the signal that asks a worker.
#
# A process with a late answer is asked which lines are running. Python handles the signal between two of its instructions. If the
# submission has taken it for itself, or is in a library that does not come back, the process says nothing.

ASKED = struct.Struct("<BIII")  # action; grace in ms; for a new worker its memory in MiB and its CPU time in s
# START a worker on the three pipes that come with the message; END it with everything that it started;
# WHERE asks it for the running lines, and gets no answer itself
START, END, WHERE = range(3)
SAID = struct.Struct("<Bi")  # result; then a process id, an exit code, or the number of bytes of JSON that follow
# READY: the walls follow as JSON; ENDED by itself within the grace; KILLED after it
READY, STARTED, ENDED, KILLED = range(4)
GONE_S = 10.0  # for the end of everything that a worker started, when it is killed, and for the self-test; both take milliseconds
BROKEN = 97  # exit code of a worker that cannot answer: its pipes are closed, or the submission has damaged Python itself
SIGNAL = getattr(signal, "SIGUSR1", None)  # Windows has none


def when_asked(tell: Callable[[FrameType | None], None]) -> None:
    """Call `tell` with the running frame whenever this process is asked."""
    if SIGNAL is not None:
        signal.signal(SIGNAL, lambda _number, frame: tell(frame))


def ask(process: int) -> None:
    """Ask a process, by its id, which lines are running. It must not have been reaped."""
    if SIGNAL is not None and process:
        with suppress(OSError):
            os.kill(process, SIGNAL)
