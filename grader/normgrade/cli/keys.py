"""The terminal of `normgrade watch`: keys that are read when they are pressed, none of them lost, and the settings of the terminal."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

PATIENCE_S = 0.03  # for the rest of an escape sequence, which terminals send at once
PASTE_PATIENCE_S = 1.0  # for the rest of a pasted text
CHUNK = 4096  # bytes; a terminal buffers no more
CLOSED = b"q"  # typed by a terminal that is closed
ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")  # signals that end a process
NAMED = {"\x1b": "escape", "\r": "enter", "\n": "enter", " ": "page down", "k": "up", "j": "down"} | {
    f"\x1b[{code}": name
    for name, codes in {
        "up": ("A",),
        "down": ("B",),
        "right": ("C",),
        "left": ("D",),
        "home": ("H", "1~", "7~"),
        "end": ("F", "4~", "8~"),
        "page up": ("5~",),
        "page down": ("6~",),
    }.items()
    for code in codes
}
NAMED_ON_WINDOWS = {"H": "up", "P": "down", "M": "right", "K": "left", "G": "home", "O": "end", "I": "page up", "Q": "page down"}
KEY = re.compile(
    rb"""\x1b\[200~.*?\x1b\[201~  # a pasted text
    |\x1b\[[0-?]*[ -/]*[@-~]  # an escape sequence
    |\x1bO[@-~]  # an escape sequence in application mode
    |[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}  # a character of several bytes
    |.""",
    re.DOTALL | re.VERBOSE,
)
BEGUN = re.compile(rb"\x1b(\[[0-?]*[ -/]*|O)?\Z|[\xc2-\xf4]\Z|[\xe0-\xf4][\x80-\xbf]\Z|[\xf0-\xf4][\x80-\xbf]{2}\Z")
PASTING = re.compile(rb"\x1b\[200~(?!.*\x1b\[201~)", re.DOTALL)


class Keyboard:
    """The keys of a terminal, in the order in which they are pressed. `terminal` is its file descriptor.

    With None there is no keyboard, and no key is ever pressed.
    """

    def __init__(self, terminal: int | None) -> None:
        self.terminal = terminal
        self.typed = b""  # read, but not returned yet
        self.before: list[Any] | None = None  # settings of the terminal

    def pressed(self, seconds: float) -> str:
        """Return the name or the character of the next key; "" if none is pressed within so many seconds."""
        while self.typed or self.read(seconds):
            if name := name_of(self.next_key()):
                return name
        return ""

    def next_key(self) -> bytes:
        """Return the bytes of the next key, once all of them are there."""
        while (pasting := PASTING.match(self.typed)) or BEGUN.match(self.typed):
            if not self.read(PASTE_PATIENCE_S if pasting else PATIENCE_S):
                break
        found = KEY.match(self.typed)
        key = found[0] if found else b""
        self.typed = self.typed[len(key) :]
        return key

    def read(self, seconds: float) -> bool:
        """Read all typed bytes, waiting so many seconds for the first, and return if there were any."""
        ready, _writable, _broken = select.select([] if self.terminal is None else [self.terminal], [], [], seconds)
        if self.terminal not in ready:
            return False
        try:
            self.typed += os.read(self.terminal, CHUNK) or CLOSED
        except OSError:  # the terminal is closed
            self.typed += CLOSED
        return True

    def begin(self) -> None:
        """Have the terminal send each key at once and not show it. Ctrl-Z is a key as any other; keys that were typed ahead are kept."""
        if self.terminal is not None:
            import termios  # not on every system
            import tty  # not on every system

            self.before = termios.tcgetattr(self.terminal)
            with suppress(termios.error):  # in the background this stops the process, and fails when it continues
                tty.setcbreak(self.terminal, termios.TCSANOW)
                settings = termios.tcgetattr(self.terminal)
                settings[6][termios.VSUSP] = os.fpathconf(self.terminal, "PC_VDISABLE")
                termios.tcsetattr(self.terminal, termios.TCSANOW, settings)

    def end(self) -> None:
        """Restore the settings of the terminal."""
        if self.terminal is not None and self.before is not None:
            import termios  # not on every system

            with suppress(termios.error):  # the terminal is closed
                termios.tcsetattr(self.terminal, termios.TCSADRAIN, self.before)


class WindowsKeyboard(Keyboard):
    """The keys of a Windows console, which must be polled."""

    def pressed(self, seconds: float) -> str:
        msvcrt: Any = __import__("msvcrt")
        deadline = time.monotonic() + seconds
        while not msvcrt.kbhit():
            if time.monotonic() > deadline:
                return ""
            time.sleep(0.01)
        key = str(msvcrt.getwch())
        return NAMED_ON_WINDOWS.get(str(msvcrt.getwch()), "") if key in "\x00\xe0" else NAMED.get(key, key)


class NoKeyboard(Keyboard):
    """A keyboard without keys, for Windows without a console."""

    def pressed(self, seconds: float) -> str:
        time.sleep(seconds)
        return ""


def name_of(key: bytes) -> str:
    """Return the name or the character of a key; "" for a pasted text, and for a key without a name here."""
    text = key.decode("utf-8", "ignore")
    if key.startswith(b"\x1bO"):
        text = text.replace("O", "[", 1)
    return NAMED.get(text, text if text.isprintable() else "")


@contextmanager
def keys(leave: Callable[[], None] | None = None) -> Iterator[Keyboard]:
    """Yield the keyboard, and restore the settings of the terminal at the end of the block.

    If a signal ends the process, they are restored as well, after `leave` was called, which may happen at any moment.
    """
    somebody = sys.stdin.isatty()
    if sys.platform == "win32":
        yield WindowsKeyboard(None) if somebody else NoKeyboard(None)
        return
    keyboard = Keyboard(sys.stdin.fileno() if somebody else None)

    def end(number: int, frame: FrameType | None) -> None:
        if leave is not None:
            leave()
        keyboard.end()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    numbers = [number for name in ENDING if signal.getsignal(number := getattr(signal, name)) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        keyboard.begin()
        yield keyboard
    finally:
        keyboard.end()
        for number, earlier in before.items():
            signal.signal(number, earlier)
