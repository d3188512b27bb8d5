"""Keys as they are pressed, where there is a keyboard."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Read = Callable[[float], str]


@contextmanager
def keys() -> Iterator[Read]:
    """A function that waits so many seconds for a key: "" where none was pressed. The terminal is put back at the end."""
    if not sys.stdin.isatty():
        yield waiting
    elif sys.platform == "win32":
        yield pressed_on_windows
    else:
        import termios
        import tty

        fd = sys.stdin.fileno()
        before = termios.tcgetattr(fd)
        try:
            tty.setcbreak(fd)
            yield pressed
        finally:
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


def waiting(seconds: float) -> str:
    time.sleep(seconds)
    return ""


def pressed(seconds: float) -> str:
    import os
    import select

    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return os.read(sys.stdin.fileno(), 1).decode("ascii", "ignore") if ready else ""


def pressed_on_windows(seconds: float) -> str:
    import msvcrt

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if msvcrt.kbhit():  # type: ignore[attr-defined]
            return str(msvcrt.getwch())  # type: ignore[attr-defined]
        time.sleep(0.01)
    return ""
