"""The library that submissions are written with, PyTorch or only NumPy. A process that plays with NumPy does not import PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.worker.wire.observation import Array, Playable, Value

MODULES = {
    Library.TORCH: "normgrade.worker.untrusted.in_pytorch",
    Library.NUMPY: "normgrade.worker.untrusted.in_numpy",
}


class Backend(Protocol):
    """The part of playing that depends on the library. `in_pytorch.py` and `in_numpy.py` implement it."""

    probes: ModuleType  # the generic probes
    EXAMPLE: str  # the source of a small submission, for the warm-up of a process; its output for `first_step` is zeros

    def settle(self, dtype: str, seed: int) -> None:
        """Reset the library's global settings before a play, seed its random numbers, and make this dtype the default."""

    def given(self, array: Array) -> Any:
        """Return an array of a request in the form in which a probe gets it."""

    def seen(self, thing: object, size_limit_bytes: int | None) -> Value | None:
        """Return a thing of the library's own as it may travel; None for any other thing."""

    def first_step(self) -> Playable:
        """Return a small request like those of every suite, which EXAMPLE can play."""

    def many_steps(self) -> Sequence[Playable]:
        """Return requests with everything that suites ask for; some raise."""

    def use_one_thread(self) -> None:
        """Make the library use one thread: several do not survive a fork, and do not always add numbers in the same order."""

    def find_banned(self, ban: Ban) -> None:
        """Find everything that is banned, so that workers that are forked from here need not."""

    def enforce(self, ban: Ban) -> None:
        """Make everything that is banned raise, in this process and for good."""


@cache
def backend(library: Library) -> Backend:
    """Return the backend of a library. The first call imports the library."""
    found: Backend = import_module(MODULES[library])
    return found
