"""Tests of frames: a built frame is parsed back, and anything else is a ProtocolError before its body is read."""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Iterator

import pytest

from normgrade.worker.wire import framing
from normgrade.worker.wire.framing import ANSWER_HEADER_BYTES, Parts, ProtocolError, ask, when_asked

FRAME = framing.build(3, 7, b"{}", [b"ab", b"", b"c"])


def frame_of(header: bytes, body: bytes = b"", *, magic: bytes = b"norm", version: int = 1) -> bytes:
    return struct.pack("<4sBBHIQ", magic, version, 3, 0, len(header), len(body)) + header + body


def test_built_frame_is_parsed_back() -> None:
    assert framing.parse(FRAME, 2, 3) == Parts(3, 7, b"{}", memoryview(b"abc"))


def test_frame_may_be_empty() -> None:
    assert framing.parse(framing.build(1, 2**16 - 1, b"", []), 0, 0) == Parts(1, 2**16 - 1, b"", memoryview(b""))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"", "starts with 20 bytes, not with 0"),
        (b"norm", "starts with 20 bytes, not with 4"),
        (frame_of(b"{}", magic=b"\x80\x04pk"), "starts with b'norm' and version 1"),
        (frame_of(b"{}", version=2), "and version 1, not with b'norm' and 2"),
        (struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, 2**32 - 1, 0), "a header of 4294967295"),
        (struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, 2, 2**64 - 1), "a body of 18446744073709551615"),
        (frame_of(b" " * 262145), "a header of 262145"),
        (frame_of(b"{}", b"x" * 1001), "a body of 1001 bytes; at most 262144 and 1000 are allowed"),
        (frame_of(b"{}", b"abc")[:-1], "4 bytes after the prefix, which declares 5"),
        (frame_of(b"{}") + b"x", "3 bytes after the prefix, which declares 2"),
    ],
)
def test_a_wrong_prefix_is_refused(frame: bytes, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        framing.parse(frame, ANSWER_HEADER_BYTES, 1000)


def test_frames_are_read_from_a_pipe_in_order() -> None:
    ours, theirs = os.pipe()
    for number in (1, 2):
        framing.send(theirs, framing.build(3, number, b"%d" % number, [b"x" * number]))
    os.close(theirs)
    for number in (1, 2):
        assert framing.receive(ours, 1, lambda: 2) == Parts(3, number, b"%d" % number, memoryview(b"x" * number))
    with pytest.raises(EOFError):
        framing.receive(ours, 1, lambda: 2)
    os.close(ours)


@pytest.mark.parametrize("length", [1, 19, 20, 22])
def test_truncated_stream_is_a_protocol_error(length: int) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, FRAME[:length])
    os.close(theirs)
    with pytest.raises(ProtocolError, match=r"the stream ended \d+ bytes before|0 bytes after the prefix"):
        framing.receive(ours, 1000, lambda: 1000)
    os.close(ours)


@pytest.mark.parametrize(("header_limit", "body_limit"), [(1, 3), (2, 2)])
def test_frame_above_the_limit_is_refused_at_once(header_limit: int, body_limit: int) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, FRAME[: framing.PREFIX.size])  # the promised bytes never come
    with pytest.raises(ProtocolError, match="a header of 2 bytes and a body of 3 bytes"):
        framing.receive(ours, header_limit, lambda: body_limit)
    os.close(ours)
    os.close(theirs)


# The signal that asks a worker


@pytest.fixture
def restored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR1)
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.usefixtures("restored")
def test_running_frame_is_reported() -> None:
    told: list[str] = []
    when_asked(lambda frame: told.append(frame.f_code.co_name if frame else ""))

    def running() -> None:
        ask(os.getpid())
        while not told:
            pass

    running()
    assert told[0] in ("running", "ask")


@pytest.mark.usefixtures("restored")
def test_missing_process_is_not_asked() -> None:
    when_asked(lambda frame: pytest.fail("asked itself"))
    ask(0)
    ask(2**22 + 1)  # above the largest process id
