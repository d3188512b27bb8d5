"""Tests of keys: each has a name, none is lost, and the terminal is restored."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from normgrade.cli.keys import Keyboard, WindowsKeyboard, keys

LATEST_S = 10.0  # for a key that is already there
posix = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")


class Typed(Keyboard):
    """A keyboard that types bytes from the test."""

    def __init__(self) -> None:
        reading, self.writing = os.pipe()
        super().__init__(reading)

    def type(self, typed: bytes) -> None:
        os.write(self.writing, typed)

    def all(self) -> list[str]:
        """Return every key that was typed."""
        found = []
        while key := self.pressed(0.0):
            found.append(key)
        return found


@pytest.fixture
def keyboard() -> Iterator[Typed]:
    keyboard = Typed()
    with ExitStack() as opened:
        for end in (keyboard.terminal, keyboard.writing):
            assert end is not None
            opened.callback(os.close, end)
        yield keyboard


@posix
@pytest.mark.parametrize(
    ("typed", "key"),
    [
        (b"n", "n"),
        (b"?", "?"),
        ("é".encode(), "é"),
        ("范".encode(), "范"),
        ("🙂".encode(), "🙂"),
        (b"\x1b[A", "up"),
        (b"\x1bOA", "up"),
        (b"j", "down"),
        (b"\x1b[C", "right"),
        (b"\x1bOD", "left"),
        (b" ", "page down"),
        (b"\x1b[5~", "page up"),
        (b"\x1bOH", "home"),
        (b"\x1b[1~", "home"),
        (b"\x1b[F", "end"),
        (b"\r", "enter"),
        (b"\x1b", "escape"),
    ],
)
def test_a_key_has_a_name_or_is_its_character(typed: bytes, key: str, keyboard: Typed) -> None:
    keyboard.type(typed)
    assert keyboard.pressed(LATEST_S) == key
    assert keyboard.pressed(0.0) == ""


@posix
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (b"h?s", ["h", "?", "s"]),
        (b"\x1b[A" * 40 + b"q", ["up"] * 40 + ["q"]),
        (b"\x1b\x1bOBq", ["escape", "down", "q"]),
        (b"\x1bq", ["escape", "q"]),
        ("dé范q".encode(), ["d", "é", "范", "q"]),
        (b"\x1b[1;5A\x1b[24~\x01n", ["n"]),  # keys without a name here
        (b"\xffn\xe4\xbdn", ["n", "n"]),  # no text
        (b"s\x1b[200~x = 1\nq\x1b[A\x1b[201~n", ["s", "n"]),  # pasted text
    ],
)
def test_no_key_of_a_burst_is_lost(typed: bytes, found: list[str], keyboard: Typed) -> None:
    keyboard.type(typed)
    assert keyboard.all() == found


@posix
@pytest.mark.parametrize(
    ("typed", "key"),
    [(b"\x1b[5~", "page up"), (b"\x1bOA", "up"), ("范".encode(), "范"), ("🙂".encode(), "🙂"), (b"\x1b[200~q\x1b[201~n", "n")],
)
def test_a_key_that_comes_in_pieces_is_one(typed: bytes, key: str, keyboard: Typed) -> None:
    for place in range(1, len(typed)):
        keyboard.type(typed[:place])
        keyboard.read(LATEST_S)
        keyboard.type(typed[place:])
        assert keyboard.all() == [key]


@posix
def test_unfinished_sequence_does_not_block_later_keys(keyboard: Typed) -> None:
    keyboard.type(b"\x1b[")
    assert keyboard.all() == ["escape", "["]
    keyboard.type(b"n")
    assert keyboard.all() == ["n"]


@posix
def test_without_a_key_nothing_is_returned(keyboard: Typed) -> None:
    assert keyboard.pressed(0.0) == ""


@posix
def test_a_terminal_that_is_gone_quits() -> None:
    import pty

    reading, writing = os.pipe()
    ours, theirs = pty.openpty()
    os.close(writing)
    os.close(ours)
    assert [Keyboard(end).pressed(LATEST_S) for end in (reading, theirs)] == ["q", "q"]
    os.close(reading)
    os.close(theirs)


def test_without_a_keyboard_no_key_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("q"))
    with keys() as keyboard:
        assert keyboard.pressed(0.0) == ""


@posix
def test_terminal_is_restored_and_early_keys_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    with open(theirs, encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(theirs)
        os.write(ours, b"h")
        with keys() as keyboard:
            assert termios.tcgetattr(theirs) != before
            os.write(ours, b"n")
            assert [keyboard.pressed(LATEST_S), keyboard.pressed(LATEST_S)] == ["h", "n"]
        assert termios.tcgetattr(theirs) == before
    os.close(ours)


@posix
def test_handlers_are_restored_and_ignored_signals_stay() -> None:
    handled = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
    hangs_up = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        before = [signal.getsignal(number) for number in handled]
        with keys():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not before[0]
        assert [signal.getsignal(number) for number in handled] == before
    finally:
        signal.signal(signal.SIGHUP, hangs_up)


def test_on_windows_keys_have_the_same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = [*"n", "\xe0", "H", " ", "\x1b", "\x00", ";"]
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(kbhit=lambda: bool(typed), getwch=lambda: typed.pop(0)))
    keyboard = WindowsKeyboard(None)
    assert [keyboard.pressed(LATEST_S) for _key in range(5)] == ["n", "up", "page down", "escape", ""]
    assert keyboard.pressed(0.0) == "" and not typed
