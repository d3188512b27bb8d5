"""Keys: their names, waking without one, and a terminal that is put back."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from normgrade.cli.keys import keys, pressed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")
LATEST_S = 10.0  # for a key that is there already


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A keyboard, and where its keys are pressed."""
    reading, writing = os.pipe()
    with ExitStack() as opened:
        opened.callback(os.close, reading)
        opened.callback(os.close, writing)
        yield reading, writing


@pytest.mark.parametrize(
    ("typed", "key"),
    [(b"n", "n"), (b"\x1b[A", "up"), (b"j", "down"), (b" ", "page down"), (b"\x1b[5~", "page up"), (b"nn", "n"), (b"\xff", "q")],
)
def test_a_key_has_a_name_or_is_its_character(typed: bytes, key: str, pipe: tuple[int, int]) -> None:
    os.write(pipe[1], typed)
    assert pressed(pipe[0], None, LATEST_S) == key


def test_without_a_key_nothing_is_returned(pipe: tuple[int, int]) -> None:
    assert pressed(pipe[0], None, 0.0) == ""


def test_what_wakes_is_no_key_and_is_used_up(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"...")
    assert pressed(None, pipe[0], LATEST_S) == ""
    os.set_blocking(pipe[0], False)
    with pytest.raises(BlockingIOError):
        os.read(pipe[0], 1)


def test_a_terminal_that_is_gone_quits() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    assert pressed(reading, None, LATEST_S) == "q"
    os.close(reading)


def test_without_a_keyboard_no_key_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("q"))
    with keys() as next_key:
        assert next_key(0.0) == ""


def test_the_terminal_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    with open(theirs, encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(theirs)
        with keys() as next_key:
            assert termios.tcgetattr(theirs) != before
            os.write(ours, b"h")
            assert next_key(LATEST_S) == "h"
        assert termios.tcgetattr(theirs) == before
    os.close(ours)
