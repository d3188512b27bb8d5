"""Keys as they are pressed, read without waiting for Enter, and none of them lost. Without a keyboard no key is ever pressed."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE_S = 0.03  # with a sequence that has begun: terminals send the rest at once
PASTE_PATIENCE_S = 1.0  # with the rest of what is pasted
CHUNK = 4096  # bytes, as many as a terminal keeps
CLOSED = b"q"  # what a terminal that is gone has pressed
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
    rb"""\x1b\[200~.*?\x1b\[201~  # a text that is pasted
    |\x1b\[[0-?]*[ -/]*[@-~]  # an escape sequence
    |\x1bO[@-~]  # one of a terminal in application mode
    |[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}  # a character of several bytes
    |.""",
    re.DOTALL | re.VERBOSE,
)
BEGUN = re.compile(rb"\x1b(\[[0-?]*[ -/]*|O)?\Z|[\xc2-\xf4]\Z|[\xe0-\xf4][\x80-\xbf]\Z|[\xf0-\xf4][\x80-\xbf]{2}\Z")
PASTING = re.compile(rb"\x1b\[200~(?!.*\x1b\[201~)", re.DOTALL)


class Keyboard:
    """The keys of a terminal, by its file descriptor: each as a whole, in the order in which they are pressed.

    None as the descriptor is a keyboard that nobody sits at. Waiting ends when one of the descriptors `wakes` has something to read.
    """

    def __init__(self, terminal: int | None, wakes: Sequence[int] = ()) -> None:
        self.terminal, self.wakes = terminal, wakes
        self.typed = b""  # and not asked for yet
        self.before: list[Any] | None = None  # the settings of the terminal

    def pressed(self, seconds: float) -> str:
        """Return the next key by its name or as its character; "" if there is none in so many seconds."""
        while self.typed or self.read(seconds):
            if name := name_of(self.next_key()):
                return name
        return ""

    def next_key(self) -> bytes:
        """Return the first key of what was typed, once all of it is there; b"" where nothing is left."""
        while (pasting := PASTING.match(self.typed)) or BEGUN.match(self.typed):
            if not self.read(PASTE_PATIENCE_S if pasting else PATIENCE_S):
                break
        found = KEY.match(self.typed)
        key = found[0] if found else b""
        self.typed = self.typed[len(key) :]
        return key

    def read(self, seconds: float) -> bool:
        """Read all that is typed, and return if there was anything."""
        ready, _writable, _broken = select.select([*self.wakes, *([] if self.terminal is None else [self.terminal])], [], [], seconds)
        for wake in ready:
            if wake != self.terminal:
                os.read(wake, CHUNK)
        if self.terminal not in ready:
            return False
        try:
            self.typed += os.read(self.terminal, CHUNK) or CLOSED
        except OSError:  # nobody is there any more
            self.typed += CLOSED
        return True

    def begin(self) -> None:
        """Have the terminal hand over each key at once, without showing it; those that were typed ahead are kept."""
        if self.terminal is not None:
            import termios
            import tty

            self.before = self.before or termios.tcgetattr(self.terminal)
            with suppress(termios.error):  # in the background this stops the process, and fails once it goes on
                tty.setcbreak(self.terminal, termios.TCSANOW)

    def end(self) -> None:
        """Give the terminal its settings back."""
        if self.terminal is not None and self.before is not None:
            import termios

            with suppress(termios.error):  # nobody is there any more
                termios.tcsetattr(self.terminal, termios.TCSADRAIN, self.before)


class WindowsKeyboard(Keyboard):
    """The keys of a console of Windows, which is asked again and again."""

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
    """No keys, where Windows has no console."""

    def pressed(self, seconds: float) -> str:
        time.sleep(seconds)
        return ""


def name_of(key: bytes) -> str:
    """Return the name of a key, or its character; "" for what is pasted, and for a key that has no name here."""
    text = key.decode("utf-8", "ignore")
    if key.startswith(b"\x1bO"):
        text = text.replace("O", "[", 1)
    return NAMED.get(text, text if text.isprintable() else "")


@contextmanager
def keys(*wakes: int | None) -> Iterator[Keyboard]:
    """The keyboard of this process. The settings of the terminal are restored at the end of the block."""
    somebody = sys.stdin.isatty()
    if sys.platform == "win32":
        yield WindowsKeyboard(None) if somebody else NoKeyboard(None)
        return
    keyboard = Keyboard(sys.stdin.fileno() if somebody else None, [wake for wake in wakes if wake is not None])
    try:
        keyboard.begin()
        yield keyboard
    finally:
        keyboard.end()
