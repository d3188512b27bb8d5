"""Run-time enforcement of the rule that an exercise is written by hand: the functions of NumPy that it bans raise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from types import FunctionType, ModuleType

from normgrade.course.ban import Ban
from normgrade.worker.untrusted.stopping import Banned, stop, stop_when_imported

DOTTED = {"numpy": "numpy", "numpy.ma.extras": "numpy.ma"}  # modules of NumPy, and the dotted name under which their functions are known


def enforce(ban: Ban) -> None:
    """Make the banned functions of NumPy raise, in this process and for good."""
    for banned in in_numpy(ban):
        stop(*banned)
    stop_when_imported(lambda module: banned_functions(module, ban))


def find_banned(ban: Ban) -> None:
    """Find the functions that are banned, so that workers that are forked from here need not."""
    in_numpy(ban)


@cache
def in_numpy(ban: Ban) -> tuple[Banned, ...]:
    """Return every banned function of the modules that are imported already. It takes a millisecond."""
    return tuple(banned for name in DOTTED if name in sys.modules for banned in banned_functions(sys.modules[name], ban))


def banned_functions(module: ModuleType, ban: Ban) -> Iterator[Banned]:
    """Yield every banned function of this module, if it is one of NumPy's."""
    dotted = DOTTED.get(module.__name__)
    for name, thing in vars(module).items() if dotted else ():
        function = getattr(thing, "__wrapped__", thing)  # NumPy wraps most of its functions
        pattern = ban.against(f"{dotted}.{name}") if isinstance(function, FunctionType) else None
        if pattern:
            yield function, f"{dotted}.{name}", pattern
