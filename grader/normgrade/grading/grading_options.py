"""The options of a grading: everything that a user may choose for all submissions of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from normgrade.worker.walls import AUTO

MOST_CROWDED = 3.0
PUBLIC_SEED = 0  # the seed that a learner sees again and again; mistakes are looked for in its plays


class OnProgress(Protocol):
    """A function that is called with the current work, the units done and their total. The command line draws them."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Show no progress."""


def nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of a user: the seed of the inputs, the time for all answers of a submission, the walls around it, and more.

    With `allow_stub`, a stub is graded like any file. `meanwhile` is called while PyTorch is imported, so that its work takes no extra
    time. `only` is a glob for the names of the checks to play; if it is empty, all are played.
    Results that are computed once for an exercise, and then kept, may take `cores` processes. These import the program's main module, as
    multiprocessing says: a script that asks for more than one begins with `if __name__ == "__main__":`.
    """

    seed: int = PUBLIC_SEED
    timeout_s: float | None = None
    allow_stub: bool = False
    tier: str = AUTO  # the strongest walls to use
    required: str = "process"  # the weakest walls to accept
    progress: OnProgress = silent
    meanwhile: Callable[[], object] = nothing
    cores: int = 1
    only: str = ""


def available() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crowding() -> float:
    """Return how many processes want each core, from 1 to MOST_CROWDED: a right answer may take that many times longer than alone."""
    try:
        wanted = os.getloadavg()[0]
    except (AttributeError, OSError):  # Windows has no such number
        return 1.0
    return min(max(wanted / available(), 1.0), MOST_CROWDED)
