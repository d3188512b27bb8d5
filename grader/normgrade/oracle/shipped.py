"""Expectations that ship with an exercise, so that no user computes them: the movements of all numbers, and the forms of all requests.

The file is a NumPy archive, compressed by LZMA. A movement is kept as the bits that a number loses by it: b says that spread + u·|y| is at
most 2^b·u·|y|, with float32's roundoff u. It is rounded up, so that no right answer is refused: in a tensor of many numbers to a whole bit,
in others to half of one, and a slack to an eighth, because its tolerance is the smallest multiple of it. The numbers y are not kept: they
are played in float64 when an answer is graded.
"""

from __future__ import annotations

import lzma
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from normgrade.language import _, n_
from normgrade.language.places import Place
from normgrade.oracle.draws import Form, Forms, forms_in
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.kept import Damaged, packed, read_error, read_key, unpacked, written_error, written_key
from normgrade.worker.wire.observation import Array, Error, Observation, Value
from normgrade.worker.wire.requests import TypedRequest

VERSION = 2  # of the shipped file; to be raised with every change of the oracle that changes any spread
STEPS = 8  # in a bit
OF_SLACK, OF_FEW, OF_MANY = 1, 4, 8  # lost bits are rounded up to as many steps: of a slack, of tensors of FEW numbers, and of larger ones
FEW = 1024
OPEN = 65535  # instead of lost bits: float32 does not determine the number at all
UNIT, TINY = 2.0**-24, 2.0**-149  # float32's roundoff, and its smallest number
KEY_DIGITS = 16  # of a name, in the file
FAR = 2  # bits between two spreads of 16 plays each; by chance, less than one number in a million exceeds it
BY_CHANCE = 0.001  # the share of spreads that may differ by more: another machine may round them in another order

Recorded = Mapping[str, tuple[TypedRequest, Expectation]]  # by name: a request as it was asked, and its expectation


@dataclass(frozen=True, slots=True)
class ShippedPlace:
    """The record of one place: its dtype in a native play, the count of its numbers, and the positions of the first lost bits.

    `error` is the standard error of an estimate. If the place has no spread or no slack, there are no lost bits of it.
    """

    place: Place
    dtype: str | None
    size: int
    error: float = 0.0
    spread: int | None = None
    slack: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """The record of one expectation. `sound` tells if float32 determines all its numbers."""

    forms: Forms
    places: tuple[ShippedPlace, ...]
    error: Error | None
    sound: bool

    @property
    def largest_bytes(self) -> int:
        """The size of its largest value in float64, in bytes."""
        return 8 * max((kept.size for kept in self.places), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Shipped:
    """The entries of an exercise by name, and the bits that each of their numbers loses."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    lost: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint16))

    @classmethod
    def of(cls, path: Path) -> Shipped:
        """Read a file. Return an empty object if it is missing or cannot be read."""
        try:
            return cls.read(path.read_bytes())
        except OSError:
            return cls()

    @classmethod
    def read(cls, content: bytes) -> Shipped:
        """Read the bytes of a file. Return an empty object if they cannot be read, or are of another version."""
        try:
            with np.load(BytesIO(lzma.decompress(content)), allow_pickle=False) as archive:
                version, written = int(archive["version"]), archive["entries"].tobytes()
                lost = archive["high"].astype(np.uint16) << 8 | archive["low"]
            if version != VERSION:
                return cls()
            positions = Positions()
            return cls({name: read_entry(entry, positions) for name, *entry in unpacked(written)}, lost)
        except (EOFError, KeyError, TypeError, ValueError, lzma.LZMAError, zipfile.BadZipFile, Damaged):
            return cls()

    def get(self, name: str) -> Entry | None:
        """Return the entry of that name, or None."""
        return self.entries.get(name[:KEY_DIGITS])

    def lost_by(self, entry: Entry) -> np.ndarray:
        """Return the bits that the numbers of an entry lose, which stand one after the other."""
        starts = [(start, start + kept.size) for kept in entry.places for start in (kept.spread, kept.slack) if start is not None]
        return self.lost[starts[0][0] : starts[-1][1]] if starts else self.lost[:0]

    def places(self, entry: Entry, seen: Observation) -> Mapping[Place, Expected] | None:
        """Return the expected places if the reference has `seen` this in float64, or None if that is no play of this entry."""
        if [(kept.place, kept.size) for kept in entry.places] != [(place, size_of(value)) for place, value in seen.values.items()]:
            return None
        return {kept.place: self.expected(kept, value) for kept, value in zip(entry.places, seen.values.values(), strict=True)}

    def expected(self, kept: ShippedPlace, value: Value) -> Expected:
        """Return the expectation at one place, given its value in float64."""
        if not isinstance(value, Array) or kept.spread is None:
            return Expected(value, kept.dtype)
        return Expected(value, kept.dtype, self.movement(kept.spread, value), self.movement(kept.slack, value), kept.error)

    def movement(self, start: int | None, value: Array) -> np.ndarray | None:
        """Return the movement of each number; its lost bits begin at `start`. If there are none, return None."""
        if start is None:
            return None
        y = value.values
        return moved_by(y, self.lost[start : start + y.size].reshape(y.shape))


def size_of(value: Value) -> int:
    """Return the count of numbers in a value, 0 if it is no array."""
    return value.values.size if isinstance(value, Array) else 0


def bits_lost(value: Value, movement: np.ndarray, slack: bool = False) -> np.ndarray:
    """Return how many bits each number of an array loses when it moves, in steps."""
    assert isinstance(value, Array)
    base = unit_of(value.values)
    step = OF_SLACK if slack else OF_FEW if movement.size <= FEW else OF_MANY
    with np.errstate(all="ignore"):
        lost = step * np.ceil(STEPS / step * np.log2((movement + base) / base))
        return np.where(np.isfinite(lost), lost, OPEN).clip(0, OPEN).astype(np.uint16).ravel()


def unit_of(y: np.ndarray) -> np.ndarray:
    """Return float32's roundoff of each number, in float64: half precision cannot hold it."""
    return UNIT * np.abs(y.astype(np.float64)) + TINY


def moved_by(y: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """Return the movement by which each number loses so many steps of a bit."""
    with np.errstate(over="ignore"):
        movement = unit_of(y) * np.expm1(lost * (np.log(2) / STEPS))
    return np.where(lost == OPEN, np.inf, movement)


# As a file


def shipped(recorded: Recorded) -> bytes:
    """Return the content of the file that ships with these expectations. The same expectations give the same bytes."""
    entries = [[name[:KEY_DIGITS], *written_entry(request, expectation)] for name, (request, expectation) in recorded.items()]
    every = [place for _request, expectation in recorded.values() for place in expectation.places.values()]
    moved = [(place.value, movement, slack) for place in every for movement, slack in ((place.spread, False), (place.slack, True))]
    lost = joined([bits_lost(value, movement, slack) for value, movement, slack in moved if movement is not None], np.uint16)
    high, low = (lost >> 8).astype(np.uint8), (lost & 255).astype(np.uint8)  # apart, they take less space
    buffer = BytesIO()
    np.savez(buffer, version=np.array(VERSION), entries=np.frombuffer(packed(entries), np.uint8), high=high, low=low)
    return lzma.compress(buffer.getvalue())


def joined(parts: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


@dataclass
class Positions:
    """The positions of the first lost bits of one movement after the other."""

    end: int = 0

    def next(self, size: int, there: bool) -> int | None:
        """Return the position of the next movement, of so many numbers; None if it is not `there`."""
        start, self.end = self.end, self.end + size * there
        return start if there else None


def written_entry(request: TypedRequest, expectation: Expectation) -> list[Any]:
    forms = forms_in(request, expectation.request)
    places = [
        [written_key(place), each.dtype, size_of(each.value), each.error, each.spread is not None, each.slack is not None]
        for place, each in expectation.places.items()
    ]
    state, results = ([[name, written_form(form)] for name, form in some.items()] for some in (forms.state, forms.results))
    return [state, results, places, written_error(expectation.error), expectation.sound]


def read_entry(content: list[Any], positions: Positions) -> Entry:
    state, results, places, error, sound = content
    forms = Forms({name: read_form(form) for name, form in state}, {number: read_form(form) for number, form in results})
    return Entry(forms, tuple(read_place(place, positions) for place in places), read_error(error), sound)


def read_place(content: list[Any], positions: Positions) -> ShippedPlace:
    key, dtype, size, error, spread, slack = content
    return ShippedPlace(read_key(key), dtype, size, error, positions.next(size, spread), positions.next(size, slack))


def written_form(form: Form | None) -> list[Any] | None:
    return None if form is None else [list(form.shape), form.dtype, form.initial]


def read_form(content: list[Any] | None) -> Form | None:
    if content is None:
        return None
    shape, dtype, initial = content
    return Form(tuple(shape), dtype, initial)


# Comparison with newly computed entries


def deviations(kept: Shipped, fresh: Shipped, asked: Collection[str]) -> Iterator[str]:
    """Yield a sentence for requests that are missing or no longer `asked`, and for differences from `fresh` that exceed chance."""
    names = {name[:KEY_DIGITS] for name in asked}
    if names != kept.entries.keys():
        missing, old = len(names - kept.entries.keys()), len(kept.entries.keys() - names)
        yield _("{missing} of {n} requests are missing, and {old} are not asked any more.", n=len(names), missing=missing, old=old)
        return
    if others := sum(said_by(entry) != said_by(kept.entries[name]) for name, entry in fresh.entries.items()):
        yield n_("{n} request has other forms.", "{n} requests have other forms.", others)
        return
    apart = joined(
        [np.abs(kept.lost_by(kept.entries[name]).astype(int) - fresh.lost_by(entry)) for name, entry in fresh.entries.items()], int
    )
    if (far := int((apart > FAR * STEPS).sum())) > BY_CHANCE * apart.size:
        yield _("{far} of {n} spreads differ by more than a factor of {factor:g}.", far=far, n=apart.size, factor=2**FAR)


def said_by(entry: Entry) -> object:
    """Return all that an entry says, except for the numbers."""
    places = [(each.place, each.dtype, each.size, each.error, each.spread is None, each.slack is None) for each in entry.places]
    forms = [
        [(name, form and (form.shape, form.dtype)) for name, form in some.items()] for some in (entry.forms.state, entry.forms.results)
    ]
    return forms, places, entry.error and (entry.error.types, entry.error.step), entry.sound
