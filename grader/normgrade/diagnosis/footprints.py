"""Footprints: the facts of a suite that each known mistake changes, one bit each. They show the suspects without any play."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from normgrade.compare.played import PlayKey
from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.effects import Effects, Layout
from normgrade.oracle.kept import Damaged

VERSION = 1  # of the meaning of a bit: a mistake changes this fact of that play
VECTORS = ("checks", "numbers_of_plays", "facts", "numbers", "plays", "mistakes", "sources", "marks")


@dataclass(frozen=True, eq=False)
class Footprints:
    """The footprints of some mistakes of an exercise.

    `plays` and `sources` have a digest of each play and of each mistake's source. `marks` has a row for each mistake and a column for each
    fact.
    """

    layout: Layout
    plays: np.ndarray
    mistakes: tuple[str, ...]
    sources: np.ndarray
    marks: np.ndarray

    @classmethod
    def of(cls, effects: Effects, plays: np.ndarray, mistakes: Sequence[Mistake]) -> Footprints:
        """Return the footprints that these effects leave."""
        marks = np.zeros((len(mistakes), sum(effects.layout.facts)), bool)
        marks[effects.mistake, effects.fact] = True
        marks[effects.owner, effects.place] = True
        return cls(effects.layout, plays, effects.mistakes, sources_of(mistakes), marks)

    def plays_of(self, name: str) -> frozenset[PlayKey]:
        """Return the plays in which the mistake of that name changes anything."""
        return frozenset(self.layout.keys[play] for play in np.flatnonzero(self.acts[self.mistakes.index(name)]).tolist())

    @cached_property
    def acts(self) -> np.ndarray:
        """The plays in which each mistake changes anything: a row for each mistake and a column for each play."""
        return self.by_play(self.marks)

    def by_play(self, facts: np.ndarray) -> np.ndarray:
        """Return for each play if any of its facts is marked; the last axis is that of the facts."""
        firsts = np.array([*self.layout.first_fact.values()], np.int64)
        found: np.ndarray = np.logical_or.reduceat(facts, firsts, axis=-1) if len(firsts) else facts
        return found

    def has(self, mistake: Mistake) -> bool:
        """Return True if there is a footprint of a mistake, made from its current source."""
        return mistake.name in self.mistakes and self.sources[self.mistakes.index(mistake.name)] == digest(mistake.source)

    def among(self, mistakes: Sequence[Mistake]) -> Footprints:
        """Return the footprints of these mistakes, in their order."""
        rows = [self.mistakes.index(mistake.name) for mistake in mistakes]
        return Footprints(self.layout, self.plays, tuple(each.name for each in mistakes), self.sources[rows], self.marks[rows])

    def as_those_of(self, others: Sequence[Mistake]) -> Footprints:
        """Return the same footprints under the names and sources of other mistakes."""
        return Footprints(self.layout, self.plays, tuple(each.name for each in others), sources_of(others), self.marks)

    def with_any(self, mistake: Mistake) -> Footprints:
        """Return these footprints, and one of a mistake that may change any fact."""
        everywhere = np.ones((1, self.marks.shape[1]), bool)
        return self.with_those(Footprints(self.layout, self.plays, (mistake.name,), sources_of([mistake]), everywhere))

    def with_those(self, others: Footprints) -> Footprints:
        """Return these footprints and the others, of the same plays."""
        rows = np.concatenate([self.sources, others.sources]), np.concatenate([self.marks, others.marks])
        return Footprints(self.layout, self.plays, (*self.mistakes, *others.mistakes), *rows)


def sources_of(mistakes: Sequence[Mistake]) -> np.ndarray:
    return np.array([digest(mistake.source) for mistake in mistakes], np.uint64)


def digest(*parts: str | bytes) -> int:
    """Return a hash of 64 bits that tells these texts from all others."""
    whole = sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        whole.update(len(content).to_bytes(8, "little") + content)
    return int.from_bytes(whole.digest()[:8], "little")


# As bytes


def encode(footprints: Footprints) -> bytes:
    """Return the footprints as a file that NumPy reads. Equal footprints give the same bytes."""
    layout, content = footprints.layout, io.BytesIO()
    vectors = (
        *(np.array([key[0] for key in layout.keys], np.str_), np.array([key[1] for key in layout.keys], np.int32)),
        *(np.array(layout.facts, np.int32), np.array(layout.numbers, np.int32), footprints.plays),
        *(np.array(footprints.mistakes, np.str_), footprints.sources, np.packbits(footprints.marks, axis=1)),
    )
    named: dict[str, Any] = dict(zip(VECTORS, vectors, strict=True))
    np.savez_compressed(content, **named)
    return content.getvalue()


def decode(content: bytes) -> Footprints:
    """Return the footprints that `encode` wrote. Raise Damaged if the bytes are anything else."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            checks, numbers_of_plays, facts, numbers, plays, mistakes, sources, marks = (file[name] for name in VECTORS)
        keys = tuple(zip(checks.tolist(), numbers_of_plays.tolist(), strict=True))
        layout = Layout(keys, tuple(facts.tolist()), tuple(numbers.tolist()))
        bits = np.unpackbits(marks, axis=1, count=sum(layout.facts)).astype(bool).reshape(len(mistakes), sum(layout.facts))
        if not len(keys) == len(facts) == len(numbers) == len(plays) or len(sources) != len(mistakes):
            raise Damaged
        return Footprints(layout, plays, tuple(mistakes.tolist()), sources, bits)
    except (AttributeError, EOFError, LookupError, OSError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise Damaged from error
