"""Ctrl-C is never lost: one that some library swallows is raised again before anything is kept or handed over."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

noticed = threading.Event()  # a Ctrl-C came while it is to be `remembered`


@contextmanager
def remembered() -> Iterator[None]:
    """Remember every Ctrl-C from now on. Where it is ignored, or somebody else listens to it, it stays theirs."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        noticed.clear()


def remember(number: int, frame: FrameType | None) -> None:
    noticed.set()
    raise KeyboardInterrupt


def raise_again() -> None:
    """KeyboardInterrupt, where one came that is remembered, whoever swallowed it."""
    if noticed.is_set():
        raise KeyboardInterrupt
