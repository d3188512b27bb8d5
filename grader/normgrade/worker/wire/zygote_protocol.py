"""The messages between grader and zygote over their socket, one question and one answer; and the signal that asks a worker.

A process with a late answer is asked which lines are running. Python handles the signal between two of its instructions. If the submission
has taken it for itself, or is in a library that does not come back, the process says nothing.
"""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

QUESTION = struct.Struct("<BIII")  # action; grace in ms; for a new worker its memory in MiB and its CPU time in s
# START a worker on the three pipes that come with the message; END it with everything that it started;
# WHERE asks it for the running lines, and gets no answer itself
START, END, WHERE = 1, 2, 3
ANSWER = struct.Struct("<Bi")  # result; then a process id, an exit code, or the number of bytes of JSON that follow
# READY: the walls follow as JSON; ENDED by itself within the grace; KILLED after it
READY, STARTED, ENDED, KILLED = 1, 2, 3, 4
GONE_S = 10.0  # for everything that a worker started to end, when it is killed
BROKEN = 97  # exit code of a worker that cannot answer: its pipes are closed, or the submission has damaged Python itself
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
