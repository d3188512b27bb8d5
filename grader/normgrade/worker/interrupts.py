"""Ctrl-C: never lost, and never raised where it would crash the process.

A library that is interrupted while it is imported may crash, and one that makes a temporary file may leave it. Others may swallow the
interrupt, which is then raised again before any result is stored or shown. Little is imported here, for the first thing that a command
does is to get ready for Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

IMPORTING = "<frozen importlib"  # begins the file names of the functions that import
TEMPORARY = f"{os.sep}tempfile.py"  # ends the file name of those that make temporary files
PAUSE_S = 0.02  # between two looks at a function that is to end before the interrupt is raised
PATIENCE_S = 10.0  # with such a function: then the process ends without any clean-up
EXIT_CODE = 130


class Interrupts:
    """The interrupts of this process.

    Attributes:
        first: When the first one came, by the clock `time.monotonic`; None if none has.
        blocked: Whether a block of `blocked` runs.
    """

    first: float | None = None
    blocked = False


def remember() -> None:
    """Remember every Ctrl-C from now on. Where SIGINT is ignored, or has a handler of somebody else's, nothing changes."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, on_interrupt)


def on_interrupt(number: int, frame: FrameType | None) -> None:
    """The handler: raise KeyboardInterrupt, after what `must_end` has ended; not while this process cleans up after another one."""
    Interrupts.first = Interrupts.first or time.monotonic()
    if not must_end(frame) or sys.platform == "win32":
        if not is_raised():
            raise KeyboardInterrupt
    elif time.monotonic() > Interrupts.first + PATIENCE_S:
        end()
    else:
        signal.signal(signal.SIGALRM, on_interrupt)
        signal.setitimer(signal.ITIMER_REAL, PAUSE_S)


def end() -> NoReturn:
    """End the process at once, with one sentence where it can be written."""
    try:
        os.write(2, b"Error: Interrupted before it was done.\n")
    finally:
        os._exit(EXIT_CODE)


def must_end(frame: FrameType | None) -> bool:
    """Return True if nothing may be raised in this frame: it, or one that called it, imports or makes a temporary file, or is `blocked`."""
    if Interrupts.blocked:
        return True
    while frame is not None and not (frame.f_code.co_filename.startswith(IMPORTING) or frame.f_code.co_filename.endswith(TEMPORARY)):
        frame = frame.f_back
    return frame is not None


def is_raised() -> bool:
    """Return if a KeyboardInterrupt is on its way up: what is called meanwhile cleans up."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def is_remembered() -> bool:
    """Return if a Ctrl-C came."""
    return Interrupts.first is not None


def raise_again() -> None:
    """Raise KeyboardInterrupt if a Ctrl-C is remembered, even where the first KeyboardInterrupt was swallowed."""
    if is_remembered():
        raise KeyboardInterrupt


def ignore() -> None:
    """Let nothing interrupt this process any more: it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def blocked() -> Iterator[None]:
    """Block Ctrl-C until the end of the block, where it arrives; for processes that are started meanwhile, until they `unblock` it.

    The mask is that of one thread, and the system gives a signal to any other one: then the handler waits.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    Interrupts.blocked = True
    try:
        yield
    finally:
        Interrupts.blocked = False
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock() -> None:
    """Let Ctrl-C arrive in a process that was started inside of `blocked`."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
