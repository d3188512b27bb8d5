"""Ctrl-C is never lost: an interrupt that a library swallows is raised again before any result is stored or shown."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

interrupted: ContextVar[threading.Event | None] = ContextVar("interrupted", default=None)  # set by a Ctrl-C inside `remembered`


@contextmanager
def remembered() -> Iterator[None]:
    """Remember every Ctrl-C inside this context. Where SIGINT is ignored, or has a handler of somebody else's, nothing changes."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came = threading.Event()

    def remember(number: int, frame: FrameType | None) -> None:
        came.set()
        raise KeyboardInterrupt

    token = interrupted.set(came)
    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupted.reset(token)


def is_remembered() -> bool:
    """Whether a Ctrl-C came inside `remembered`."""
    came = interrupted.get()
    return came is not None and came.is_set()


def raise_again() -> None:
    """Raise KeyboardInterrupt if a Ctrl-C is remembered, even where the first KeyboardInterrupt was swallowed."""
    if is_remembered():
        raise KeyboardInterrupt
