"""Keys as they are pressed, where there is a keyboard."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

Read = Callable[[float], str]
NAMED = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[5~": "page up", "\x1b[6~": "page down", " ": "page down", "k": "up", "j": "down"}


@contextmanager
def keys(wakes: int | None = None) -> Iterator[Read]:
    """A function that waits so many seconds for a key: "" where none was pressed, or where there is something to read from `wakes`.

    The terminal is put back at the end.
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
    time.sleep(seconds)
    return ""


def pressed(keyboard: int | None, wakes: int | None, seconds: float) -> str:
    import os
    import select

    ready, _writable, _broken = select.select([fd for fd in (keyboard, wakes) if fd is not None], [], [], seconds)
    if wakes in ready:
        os.read(wakes, 4096)
    if keyboard not in ready:
        return ""
    read = os.read(keyboard, 8).decode("ascii", "ignore")
    return NAMED.get(read, read[:1] or "q")  # a terminal that is gone reads as nothing, for ever


def pressed_on_windows(seconds: float) -> str:
    import msvcrt

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if msvcrt.kbhit():  # type: ignore[attr-defined]
            key = str(msvcrt.getwch())  # type: ignore[attr-defined]
            return NAMED.get(key, key)
        time.sleep(0.01)
    return ""
