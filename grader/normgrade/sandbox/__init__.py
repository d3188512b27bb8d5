"""The walls around a worker, one file per tier. Zygote, worker and host know a tier by its name alone."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from typing import Protocol

from normgrade.sandbox.process import Process


class Walls(Protocol):
    """What shuts a worker in, and what may be said of it in a report."""

    @property
    def name(self) -> str: ...

    @property
    def promises(self) -> tuple[str, ...]:
        """What a submission cannot do."""

    @property
    def loses(self) -> tuple[str, ...]:
        """What it still can do."""

    def prepare(self) -> None:
        """Build what every worker will need; called once, after everything is imported and warm, before the first worker."""

    def enclose(self) -> None:
        """Shut this process in; called in every worker before it reads the submission."""


TIERS: Mapping[str, Callable[[], Walls]] = {"process": Process}
OPTIONS = {"PR_SET_PDEATHSIG": 1, "PR_SET_DUMPABLE": 4, "PR_SET_CHILD_SUBREAPER": 36}


def prctl(option: str, value: int) -> None:
    """Set an option of this process, where it runs on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(OPTIONS[option], value, 0, 0, 0)
