"""Asks a process whose answer is late where it is: by a signal, which Python heeds between two of its instructions.

A submission may have taken the signal for itself, or may be in a library that does not come back: then nothing is said.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

SIGNAL = getattr(signal, "SIGUSR1", None)  # Windows has none


def when_asked(tell: Callable[[FrameType | None], None]) -> None:
    """Have this process `tell` where it is whenever it is asked."""
    if SIGNAL is not None:
        signal.signal(SIGNAL, lambda _number, frame: tell(frame))


def ask(process: int) -> None:
    """Ask a process, by its id, which has not been reaped."""
    if SIGNAL is not None and process:
        with suppress(OSError):
            os.kill(process, SIGNAL)
