"""The changes that known mistakes were seen to make, play by play, in the cache: one file for each mistake."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from normgrade.compare.played import PlayKey
from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.effects import Change, Numbers
from normgrade.oracle.cache import Cache
from normgrade.oracle.kept import Damaged, packed, unpacked
from normgrade.worker.wire.observation import Array

Seen = dict[PlayKey, Change]


@dataclass
class Records:
    """The changes that were seen of each mistake, by its number. They are read when they are first needed, and written by `keep`.

    `name_of` gives the name under which a mistake is kept. Mistakes that are among those of the `shared` records have their changes in
    common with them, so that one submission serves the next.
    """

    cache: Cache
    mistakes: Sequence[Mistake]
    name_of: Callable[[Mistake], str]
    shared: Records | None = None
    known: dict[int, Seen] = field(default_factory=dict)
    grown: set[int] = field(default_factory=set)  # mistakes of which more was seen than is kept

    def of_those(self, mistakes: Sequence[Mistake]) -> Records:
        """Return the records of these mistakes, some of which may be new."""
        return Records(self.cache, mistakes, self.name_of, self)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each mistake, by its source."""
        return {mistake.source: number for number, mistake in enumerate(self.mistakes)}

    def of(self, member: int) -> Seen:
        """Return the changes that were seen of a mistake, by play."""
        if member not in self.known:
            self.known[member] = self.seen_of(self.mistakes[member])
        return self.known[member]

    def seen_of(self, mistake: Mistake) -> Seen:
        """Return the changes that were seen of a mistake, which are shared or read."""
        if self.shared is None:
            return self.read(self.name_of(mistake))
        number = self.shared.numbers.get(mistake.source)
        return self.shared.seen_of(mistake) if number is None else self.shared.of(number)

    def read(self, name: str) -> Seen:
        content = self.cache.get(name)
        with suppress(Damaged):  # as if there were none
            return {} if content is None else decode(content)
        return {}

    def add(self, member: int, key: PlayKey, change: Change) -> None:
        """Record the change of a mistake in a play."""
        self.of(member)[key] = change
        self.grown.add(member)

    def learn(self, member: int, key: PlayKey, change: Change) -> None:
        """Record a change that need not be kept: it is computed again with all others."""
        self.known.setdefault(member, {})[key] = change

    def keep(self) -> None:
        """Write the records of which more was seen than is kept."""
        for member in sorted(self.grown):
            self.cache.put(self.name_of(self.mistakes[member]), encode(self.known[member]))
        self.grown.clear()


def encode(seen: Seen) -> bytes:
    whole = [[*key, list(map(list, words)), list(map(written, numbers)), rough] for key, (words, numbers, rough) in seen.items()]
    return zlib.compress(packed(whole), 1)


def written(numbers: Numbers) -> list[Any]:
    """Return numbers for the cache. If they are the same in float64 and natively, they are written once."""
    place, first, unstable, exact, native = numbers
    same = np.array_equal(exact, native, equal_nan=True)
    return [place, first, unstable, None if same else Array(exact, "float32"), Array(native, "float32")]


def decode(content: bytes) -> Seen:
    """Return the records that `encode` wrote. Raises Damaged if the bytes are anything else."""
    try:
        return {(check, number): change(*content) for check, number, *content in unpacked(zlib.decompress(content))}
    except (AttributeError, LookupError, TypeError, ValueError, zlib.error) as error:
        raise Damaged from error


def change(words: list[Any], numbers: list[Any], rough: bool) -> Change:
    read = (Numbers(place, first, unstable, (exact or native).values, native.values) for place, first, unstable, exact, native in numbers)
    return Change(tuple((fact, word) for fact, word in words), tuple(read), rough)
