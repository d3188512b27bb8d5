"""Tests of printed output: it is kept up to a limit, answer by answer, without terminal control characters."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from normgrade.worker.wire.capture import OUTPUT_LIMIT_BYTES, Capture, mark


class Printing:
    """A capture, and the other end of its pipe."""

    def __init__(self) -> None:
        ours, self.fd = os.pipe()
        self.capture = Capture(ours)
        self.write(mark(0))
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
        printing.write(f"answer {serial}\n".encode() + mark(serial))
        taken.append(printing.capture.take())
    assert taken == ["answer 7\n", "answer 8\n"]


def test_output_after_the_mark_is_dropped(printing: Printing) -> None:
    printing.capture.begin(7)
    printing.write(b"before" + mark(7) + b"after")
    printing.write(b"much later")
    assert printing.capture.take() == "before"


def test_the_mark_of_another_answer_ends_nothing(printing: Printing) -> None:
    printing.capture.begin(7)
    printing.write(b"a" + mark(6) + b"b" + mark(7))
    assert printing.capture.take() == "anormgrade 6 answeredb"


def test_a_mark_may_come_in_pieces(printing: Printing) -> None:
    printing.capture.begin(7)
    for byte in b"x" + mark(7):
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


def test_long_output_is_cut_and_counted(printing: Printing) -> None:
    printing.capture.begin(7)
    printing.write(b"x" * (OUTPUT_LIMIT_BYTES + 5000) + mark(7))
    assert printing.capture.take() == "x" * OUTPUT_LIMIT_BYTES + "\n… 5,000 more bytes: printing this much takes time\n"


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"a\tb\r\nc\x07\x00\x9b", "a\tb\nc\ufffd"),
        ("right \u202eto left\u2069".encode(), "right to left"),
        ("σ ≥ 0".encode(), "σ ≥ 0"),
        (b"\xff", "\ufffd"),
    ],
)
def test_control_characters_are_removed(printed: bytes, shown: str, printing: Printing) -> None:
    printing.capture.begin(7)
    printing.write(printed + mark(7))
    assert printing.capture.take() == shown
