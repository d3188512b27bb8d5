"""Tests of the channel to a worker: every question gets one answer in time, or an exception with the reason."""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

from normgrade.worker.trusted import launch
from normgrade.worker.trusted.channel import Capture, Channel, Closed, Ending, Forged, NoAnswer
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.observation import Cause, Error, Frame, Observation

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
LOAD = messages.Load("x = 1", "x.py", "submission")
LONG_S = 20.0  # longer than an answer takes on any machine


class Peer:
    """The worker's end of a channel."""

    def __init__(self) -> None:
        ours, (self.question, self.answer, self.output) = launch.pipes()
        self.ended: list[float] = []
        self.channel = Channel(ours, self.end)

    def end(self, grace_s: float) -> Ending:
        self.ended.append(grace_s)
        return Ending(True, 0)

    def serial(self) -> int:
        """Receive the next question and return its number."""
        return messages.receive(self.question, messages.QUESTIONS, framing.QUESTION_HEADER_BYTES, lambda: 2**20)[0]

    def say(self, serial: int, printed: str = "") -> None:
        framing.send(self.answer, messages.encode(Observation(stdout=printed), serial))

    def close(self) -> None:
        for fd in (self.question, self.answer, self.output):
            try:
                os.close(fd)
            except OSError:
                continue
        self.channel.end()


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.close()


def meanwhile(deed: Callable[[], object]) -> None:
    threading.Thread(target=deed, daemon=True).start()


def test_every_question_gets_the_answer_with_its_number(peer: Peer) -> None:

    def answer_three() -> None:
        for _ in range(3):
            peer.say(peer.serial())

    meanwhile(answer_three)
    assert [peer.channel.ask(LOAD, LONG_S).error for _ in range(3)] == [None, None, None]


def test_the_first_number_cannot_be_guessed() -> None:
    peers = [Peer() for _ in range(4)]
    first = [peer.channel.serial for peer in peers]
    for peer in peers:
        peer.close()
    assert len(set(first)) > 1


def test_late_answer_raises(peer: Peer) -> None:
    with pytest.raises(NoAnswer):
        peer.channel.ask(LOAD, 0.05)


@pytest.mark.parametrize("off", [1, -1, 2**15])
def test_an_answer_to_another_question_is_forged(off: int, peer: Peer) -> None:
    meanwhile(lambda: peer.say((peer.serial() + off) % 2**16))
    with pytest.raises(Forged, match="an unexpected answer"):
        peer.channel.ask(LOAD, LONG_S)


def test_an_answer_before_the_question_is_forged(peer: Peer) -> None:
    peer.say(peer.channel.serial)
    with pytest.raises(Forged):
        peer.channel.ask(LOAD, LONG_S)


def test_bytes_that_are_no_frame_are_forged(peer: Peer) -> None:
    os.write(peer.answer, b"x" * framing.PREFIX.size)
    with pytest.raises(Forged, match="a frame starts with"):
        peer.channel.ask(LOAD, LONG_S)


def test_a_frame_that_claims_a_huge_body_is_forged(peer: Peer) -> None:
    os.write(peer.answer, struct.pack("<4sBBHIQ", framing.MAGIC, framing.VERSION, messages.KINDS[Observation], 0, 2, 2**60))
    with pytest.raises(Forged):
        peer.channel.ask(LOAD, LONG_S)


def test_broken_channel_fails_every_later_question(peer: Peer) -> None:
    os.close(peer.answer)
    for _ in range(3):
        with pytest.raises(Closed):
            peer.channel.ask(LOAD, LONG_S)


def test_worker_that_reads_nothing_does_not_block(peer: Peer) -> None:
    large = messages.Load("x" * 3 * 2**20, "x.py", "submission")
    with pytest.raises(NoAnswer):
        peer.channel.ask(large, 0.05)


def test_a_process_is_ended_once(peer: Peer) -> None:
    assert peer.channel.end(0.25) == peer.channel.end(9.0) == Ending(True, 0)
    assert peer.ended == [0.25]


LINES = (Frame(3, "f", "while True: pass", 5, 16),)
LATE = Observation(error=Error(Cause.TIMED_OUT, "", frames=LINES))


@pytest.mark.parametrize(
    ("said", "lines"),
    [(LATE, LINES), (Observation(), ()), (Observation(error=Error(Cause.RAISED, "", frames=LINES)), ())],
)
def test_late_worker_reports_its_running_lines(peer: Peer, said: Observation, lines: tuple[Frame, ...]) -> None:
    peer.channel.where = lambda: framing.send(peer.answer, messages.encode(said, peer.serial()))
    with pytest.raises(NoAnswer):
        peer.channel.ask(LOAD, 0.05)
    assert peer.channel.lines_running(LONG_S) == lines


def test_silent_or_garbled_worker_has_no_running_lines(peer: Peer) -> None:
    with pytest.raises(NoAnswer):
        peer.channel.ask(LOAD, 0.05)
    assert peer.channel.lines_running(0.05) == ()
    peer.channel.where = lambda: framing.send(peer.answer, b"garbage" * 9)
    assert peer.channel.lines_running(LONG_S) == ()


# Printed output


class Printing:
    """A capture, and the other end of its pipe."""

    def __init__(self) -> None:
        ours, self.fd = os.pipe()
        self.capture = Capture(ours)
        self.write(framing.mark(0))
        assert self.capture.take() == ""

    def write(self, printed: bytes) -> None:
        while printed:
            printed = printed[os.write(self.fd, printed) :]

    def close(self) -> None:
        os.close(self.fd)
        self.capture.thread.join()


@pytest.fixture
def printing() -> Iterator[Printing]:
    printing = Printing()
    yield printing
    printing.close()


def test_output_before_the_mark_belongs_to_the_answer(printing: Printing) -> None:
    taken = []
    for serial in (7, 8):
        printing.capture.begin(serial)
        printing.write(f"answer {serial}\n".encode() + framing.mark(serial))
        taken.append(printing.capture.take())
    assert taken == ["answer 7\n", "answer 8\n"]


def test_output_after_the_mark_is_dropped(printing: Printing) -> None:
    printing.capture.begin(7)
    printing.write(b"before" + framing.mark(7) + b"after")
    printing.write(b"much later")
    assert printing.capture.take() == "before"


def test_the_mark_of_another_answer_ends_nothing(printing: Printing) -> None:
    printing.capture.begin(7)
    printing.write(b"a" + framing.mark(6) + b"b" + framing.mark(7))
    assert printing.capture.take() == "anormgrade 00006 answeredb"


def test_a_mark_may_come_in_pieces(printing: Printing) -> None:
    printing.capture.begin(7)
    for byte in b"x" + framing.mark(7):
        printing.write(bytes([byte]))
    assert printing.capture.take() == "x"


def test_end_of_output_replaces_a_missing_mark() -> None:
    printing = Printing()
    printing.capture.begin(7)
    printing.write(b"the last words")
    printing.close()
    assert printing.capture.take() == "the last words"


def test_missing_mark_shortens_the_next_wait(printing: Printing) -> None:
    printing.capture.patience_s = 0.05
    printing.capture.begin(7)
    printing.write(b"no mark")
    while printing.capture.take() != "no mark":  # another thread reads the pipe
        printing.capture.begin(7)
    assert printing.capture.patience_s == 0.02
