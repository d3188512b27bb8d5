"""Keys as they are pressed, read without waiting for Enter. Without a keyboard no key is ever pressed."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

NextKey = Callable[[float], str]
NAMED = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[5~": "page up", "\x1b[6~": "page down", " ": "page down", "k": "up", "j": "down"}


@contextmanager
def keys(wakes: int | None = None) -> Iterator[NextKey]:
    """A function that waits at most so many seconds for a key, and returns its name or character.

    It returns "" where no key was pressed, and at once when the file descriptor `wakes` has something to read. The settings of the terminal
    are restored at the end of the block.
    """
    if sys.platform == "win32":
        yield pressed_on_windows if sys.stdin.isatty() else waiting
    elif not sys.stdin.isatty():
        yield partial(pressed, None, wakes)
    else:
        import termios
        import tty

        fd = sys.stdin.fileno()
        before = termios.tcgetattr(fd)
        try:
            tty.setcbreak(fd)
            yield partial(pressed, fd, wakes)
        finally:
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


def waiting(seconds: float) -> str:
    """No key, after so many seconds."""
    time.sleep(seconds)
    return ""


def pressed(keyboard: int | None, wakes: int | None, seconds: float) -> str:
    """The next key on POSIX, where the keyboard is a file descriptor."""
    ready, _writable, _broken = select.select([fd for fd in (keyboard, wakes) if fd is not None], [], [], seconds)
    if wakes in ready:
        os.read(wakes, 4096)
    if keyboard not in ready:
        return ""
    typed = os.read(keyboard, 8).decode("ascii", "ignore")
    return NAMED.get(typed, typed[:1] or "q")  # a terminal that was closed is always ready, with nothing to read


def pressed_on_windows(seconds: float) -> str:
    """The next key on Windows, where the console is asked again and again."""
    import msvcrt

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if msvcrt.kbhit():  # type: ignore[attr-defined]
            key = str(msvcrt.getwch())  # type: ignore[attr-defined]
            return NAMED.get(key, key)
        time.sleep(0.01)
    return ""
