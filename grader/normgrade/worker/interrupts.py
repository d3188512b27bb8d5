"""Handling of Ctrl-C: no interrupt is lost, and none is raised at a point where it would crash the process.

A library that is interrupted during its import may crash, and `tempfile` may leave a file, so the interrupt waits until they have ended. A
library may also swallow the interrupt, which is then raised again before any result is stored or shown. This module imports little, because
a command prepares for Ctrl-C before it does anything else.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

IMPORTING = "<frozen importlib"  # how `co_filename` begins in the functions that import modules
TEMPORARY = f"{os.sep}tempfile.py"  # how it ends in the functions that make temporary files
PAUSE_S = 0.02  # between two checks whether such a function has ended, so that the interrupt can be raised
PATIENCE_S = 10.0  # for such a function to end; after that, the process ends without clean-up
EXIT_CODE = 128 + signal.SIGINT


class Interrupts:
    """The interrupts of this process.

    Attributes:
        first: The time of the first one by `time.monotonic`, or None if there was none.
        blocked: True in a block of `blocked`.
        meanwhile: Called now and then during a grading, where it may raise an exception that ends it; None for nothing.
    """

    first: float | None = None
    blocked = False
    meanwhile: Callable[[], None] | None = None


def remember() -> None:
    """Remember every Ctrl-C from now on. Do nothing if SIGINT is ignored, or has another handler."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, on_interrupt)


def on_interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, after anything that `must_end` has ended. Do nothing while this process cleans up after an earlier one.

    If that takes longer than PATIENCE_S, the process ends.
    """
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
    """End the process at once, with one sentence if it can be written."""
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
    """Return True if a KeyboardInterrupt is being raised: the code that is called meanwhile cleans up."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def is_remembered() -> bool:
    """Return True if a Ctrl-C came."""
    return Interrupts.first is not None


def raise_again() -> None:
    """Raise KeyboardInterrupt if a Ctrl-C is remembered, even if the first KeyboardInterrupt was swallowed. Call what is due meanwhile."""
    if is_remembered():
        raise KeyboardInterrupt
    if Interrupts.meanwhile is not None:
        Interrupts.meanwhile()


def ignore() -> None:
    """Ignore every further interrupt, because this process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def blocked() -> Iterator[None]:
    """Block Ctrl-C until the end of the block, when it arrives. Processes that are started meanwhile have to `unblock` it.

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
