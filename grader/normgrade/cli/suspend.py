"""Signals that stop or end a command which has changed the terminal. It restores the terminal first, and takes it again after `fg`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ASIDE = ("SIGTSTP", "SIGTERM", "SIGHUP", "SIGQUIT")  # Ctrl-Z stops the process; the others end it


@contextmanager
def stepping_aside(leave: Callable[[], None], enter: Callable[[], None]) -> Iterator[None]:
    """Call `leave` before a signal stops or ends this process, and `enter` when it continues. Both may be called at any moment."""

    def step_aside(number: int, frame: FrameType | None) -> None:
        leave()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)  # here the process stops, or ends
        signal.signal(number, step_aside)
        enter()

    def go_on(number: int, frame: FrameType | None) -> None:
        enter()

    def change(number: int, frame: FrameType | None) -> None:
        """Do nothing: the signal itself ends the waiting for a key."""

    handlers = dict.fromkeys(ASIDE, step_aside) | {"SIGCONT": go_on, "SIGWINCH": change}
    numbers = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name) and sys.platform != "win32"}
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number, handler in numbers.items():
            if before[number] is not signal.SIG_IGN:
                signal.signal(number, handler)
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def signal_wakes() -> Iterator[int | None]:
    """Yield a file descriptor that is readable after each signal with a handler; None on Windows."""
    if sys.platform == "win32":
        yield None
        return
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        yield wakes
    finally:
        signal.set_wakeup_fd(before)
        os.close(wake)
        os.close(wakes)
