"""A signal that asks a process with a late answer which lines are running. Python handles it between two of its instructions.

If the submission has taken the signal for itself, or is in a library that does not come back, the process says nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

SIGNAL = getattr(signal, "SIGUSR1", None)  # Windows has none


def when_asked(tell: Callable[[FrameType | None], None]) -> None:
    """Call `tell` with the running frame whenever this process is asked."""
    if SIGNAL is not None:
        signal.signal(SIGNAL, lambda _number, frame: tell(frame))


def ask(process: int) -> None:
    """Ask a process, by its id, which lines are running. It must not have been reaped."""
    if SIGNAL is not None and process:
        with suppress(OSError):
            os.kill(process, SIGNAL)
