"""How to grade: everything that a user may choose, and that holds for all submissions of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from normgrade.worker.walls import AUTO

PUBLIC_SEED = 0  # of what a learner sees again and again; mistakes are looked for in what it draws


class OnProgress(Protocol):
    """Called with what is going on and how much of it is done; the command line draws it."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def nothing() -> None:
    """Nothing to prepare."""


@dataclass(frozen=True, slots=True)
class Options:
    """The seed of the inputs, the time for all answers of a submission, whether a stub is graded like any file, and the walls.

    `meanwhile` is called while PyTorch is imported: what it prepares costs nobody any time. `only` is a glob for the names of checks: no
    others are played, unless it is empty.
    What is computed once for an exercise and kept may take `cores` processes. Those import the program's main module, as multiprocessing
    says: a script that asks for more than one begins with `if __name__ == "__main__":`.
    """

    seed: int = PUBLIC_SEED
    timeout_s: float | None = None
    allow_stub: bool = False
    tier: str = AUTO  # the strongest walls to stand behind
    required: str = "process"  # the weakest
    progress: OnProgress = silent
    meanwhile: Callable[[], object] = nothing
    cores: int = 1
    only: str = ""


def available() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
