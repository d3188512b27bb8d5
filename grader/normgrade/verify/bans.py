"""A proof that everything that an exercise bans or allows exists: a pattern that matches nothing is a typing mistake."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions
from importlib.util import find_spec

from normgrade.course.ban import Ban
from normgrade.course.exercise import Exercise
from normgrade.oracle.cache import Cache
from normgrade.oracle.fingerprint import fingerprint

NEAR = 0.8  # the similarity at which the name of an unknown library counts as a typing mistake
ALL_WELL = b"every pattern matches something"


def matching_nothing(exercise: Exercise, known: Cache) -> tuple[str, ...]:
    """Return the patterns that match nothing, in their order. If there are none, that is cached, as the search imports PyTorch."""
    patterns = (*exercise.banned, *exercise.allowed)
    key = fingerprint("patterns", *patterns)
    if known.get(key) == ALL_WELL:
        return ()
    found = tuple(pattern for pattern in patterns if not matches_something(pattern))
    if not found:
        known.put(key, ALL_WELL)
    return found


def matches_something(pattern: str) -> bool:
    """Return True if anything has such a name.

    A library that is not installed cannot be searched. It counts as existing, unless its name is nearly that of another library.
    """
    head = literal(pattern)[:1]
    if head and find_spec(head[0]) is None:
        return not get_close_matches(head[0], installed(), n=1, cutoff=NEAR)
    return any_match(pattern, names_below(literal(pattern))) or any_match(pattern, names_of_pytorch())


def any_match(pattern: str, names: Iterable[str]) -> bool:
    ban = Ban((pattern,))
    return any(ban.against(name) for name in names)


def literal(pattern: str) -> tuple[str, ...]:
    """Return the parts of a dotted pattern before the first part with a wildcard."""
    parts = pattern.split(".")
    wild = next((number for number, part in enumerate(parts) if re.search(r"[*?[]", part)), len(parts))
    return tuple(parts[:wild])


def names_below(parts: tuple[str, ...]) -> Iterator[str]:
    """Yield the dotted name itself, if it exists, and those of all its attributes."""
    if not parts:
        return
    name, thing = parts[0], import_module(parts[0])
    for part in parts[1:]:
        name = f"{name}.{part}"
        if not hasattr(thing, part) and not is_module(name):
            return
        thing = getattr(thing, part) if hasattr(thing, part) else import_module(name)
    yield name
    yield from (f"{name}.{each}" for each in dir(thing))


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:  # it would be part of something that is no package
        return False


@cache
def names_of_pytorch() -> tuple[str, ...]:
    """Return the names of every operation, and of everything in the modules of PyTorch."""
    from normgrade.worker.untrusted.by_hand import KERNELS, names_of  # loads PyTorch

    operations = [name for operation in KERNELS for name in names_of(operation)]
    modules = [(name, module) for name, module in sys.modules.items() if name.partition(".")[0] == "torch"]
    return (*operations, *(f"{name}.{each}" for name, module in modules for each in vars(module)))


@cache
def installed() -> tuple[str, ...]:
    """Return the names of the libraries that can be imported."""
    return (*packages_distributions(), *sys.stdlib_module_names)
