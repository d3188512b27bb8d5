"""What submissions are written with: PyTorch, or NumPy alone. A process that plays one of them imports no other library for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from normgrade.course.ban import Ban
from normgrade.worker.observation import Array, Playable, Value

MODULES = {"torch": "normgrade.worker.in_pytorch", "numpy": "normgrade.worker.in_numpy"}


class Library(Protocol):
    """What playing depends on. `in_pytorch.py` and `in_numpy.py` are the two that there are."""

    probes: ModuleType  # the generic ones
    EXAMPLE: str  # the source of a small submission, with which a process warms up; what comes of `first_step` is zeros

    def settle(self, dtype: str, seed: int) -> None:
        """Reset the library's global settings before a play, seed its random numbers, and make this dtype the default."""

    def given(self, array: Array) -> Any:
        """An array of a request as a probe gets it."""

    def seen(self, thing: object, size_limit_bytes: int | None) -> Value | None:
        """A thing of the library's own as it may travel; None for any other thing."""

    def first_step(self) -> Playable:
        """A small request like those of every suite, which EXAMPLE can play."""

    def many_steps(self) -> Sequence[Playable]:
        """Requests with everything that suites ask for; some raise."""

    def use_one_thread(self) -> None:
        """Have the library use one thread: several do not survive a fork, and do not always add numbers in the same order."""

    def prepare(self, ban: Ban) -> None:
        """Find what is banned, so that workers that are forked from here need not."""

    def enforce(self, ban: Ban) -> None:
        """Have everything raise that is banned, in this process and for good."""


@cache
def library(name: str) -> Library:
    """The library of that name, "torch" or "numpy". It is imported with the first call."""
    found: Library = import_module(MODULES[name])
    return found
