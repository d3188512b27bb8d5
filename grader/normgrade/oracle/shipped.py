"""Expectations that ship with an exercise, so that no user computes them: the movements of all numbers, and the forms of all requests.

The file is a compressed NumPy archive. A spread is kept as a logarithm of two bytes: code c says that spread + u·|y| is at most
2^(c/2048)·u·|y|, with float32's roundoff u, rounded up by at most 0.03 %. Codes of large tensors are multiples of 256, which rounds up by
at most 9 %. A spread beyond 32 octaves is kept as it is. The numbers y are not kept: they are played in float64 when an answer is graded.
"""

from __future__ import annotations

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

VERSION = 1  # of the shipped file; to be raised with every change of the oracle that changes any spread
STEPS = 2048  # codes per octave
LARGE, COARSE = 1024, 256  # tensors of more numbers keep multiples of this code, which take a quarter of the space
OWN = 65535  # the code of a number that is kept as it is
UNIT, TINY = 2.0**-24, 2.0**-149  # float32's roundoff, and its smallest number
KEY_DIGITS = 32  # of a name, in the file
FACTOR = 4.0  # between two spreads of 16 plays each; by chance, less than one number in a million exceeds it
BY_CHANCE = 0.001  # the share of spreads that may differ by more: another machine may round them in another order

Recorded = Mapping[str, tuple[TypedRequest, Expectation]]  # by name: a request as it was asked, and its expectation


@dataclass(frozen=True, slots=True)
class ShippedPlace:
    """The record of one place: its dtype in a native play, the count of its numbers, and the positions of its first codes.

    `error` is the standard error of an estimate. If the place has no spread or no slack, there are no codes of it.
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
    """The entries of an exercise by name, and the codes of all their numbers.

    `own` are the numbers that are kept as they are, and `owns` are their positions among the codes.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    codes: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint16))
    owns: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    own: np.ndarray = field(default_factory=lambda: np.zeros(0))

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
            with np.load(BytesIO(content), allow_pickle=False) as archive:
                version, written = int(archive["version"]), archive["entries"].tobytes()
                codes = archive["high"].astype(np.uint16) << 8 | archive["low"]
                own = archive["own"].astype(np.float64)
            entries = {name: read_entry(entry) for name, *entry in unpacked(written)} if version == VERSION else {}
        except (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, Damaged):
            return cls()
        return cls(entries, codes, np.flatnonzero(codes == OWN), own)

    def get(self, name: str) -> Entry | None:
        """Return the entry of that name, or None."""
        return self.entries.get(name[:KEY_DIGITS])

    def codes_of(self, entry: Entry) -> tuple[np.ndarray, np.ndarray]:
        """Return the codes of an entry, which stand one after the other, and those of its numbers that are kept as they are."""
        starts = [(start, start + kept.size) for kept in entry.places for start in (kept.spread, kept.slack) if start is not None]
        first, last = (starts[0][0], starts[-1][1]) if starts else (0, 0)
        own = slice(*np.searchsorted(self.owns, [first, last]))
        return self.codes[first:last], self.own[own]

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
        """Return the movement of each number, from the codes that begin at `start`. If there are none, return None."""
        if start is None:
            return None
        y = value.values
        codes = self.codes[start : start + y.size].reshape(y.shape)
        first, last = np.searchsorted(self.owns, [start, start + y.size])
        return decoded(y, codes, self.own[first:last])


def size_of(value: Value) -> int:
    """Return the count of numbers in a value, 0 if it is no array."""
    return value.values.size if isinstance(value, Array) else 0


def coded(y: np.ndarray, movement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of a movement, and the numbers that are kept as they are."""
    with np.errstate(all="ignore"):
        base = UNIT * np.abs(y) + TINY
        step = COARSE if y.size > LARGE else 1
        codes = step * np.ceil(STEPS / step * np.log2((movement + base) / base))
        known = (codes >= 0) & (codes < OWN)  # False if the number is not finite
    return np.where(known, codes, OWN).astype(np.uint16).ravel(), movement[~known].astype(np.float64).ravel()


def decoded(y: np.ndarray, codes: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return the movement that `coded` has written. `y` may differ from the numbers given to `coded` by float64's rounding."""
    with np.errstate(all="ignore"):
        base = UNIT * np.abs(y) + TINY
        movement: np.ndarray = np.asarray(base * np.expm1(codes * (np.log(2) / STEPS)))
    movement[codes == OWN] = own
    return movement


# As a file


def shipped(recorded: Recorded) -> bytes:
    """Return the content of the file that ships with these expectations. The same expectations give the same bytes."""
    codes: list[np.ndarray] = []
    own: list[np.ndarray] = []
    starts = StartsOf(codes, own)
    entries = [[name[:KEY_DIGITS], *written_entry(request, expectation, starts)] for name, (request, expectation) in recorded.items()]
    every, numbers = joined(codes, np.uint16), joined(own, np.float64)
    buffer = BytesIO()
    np.savez_compressed(
        buffer,
        version=np.array(VERSION),
        entries=np.frombuffer(packed(entries), np.uint8),
        high=(every >> 8).astype(np.uint8),
        low=(every & 255).astype(np.uint8),
        own=numbers,
    )
    return buffer.getvalue()


def joined(parts: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


@dataclass
class StartsOf:
    """A collection of codes. `add` returns the position at which the codes of a movement begin."""

    codes: list[np.ndarray]
    own: list[np.ndarray]
    end: int = 0

    def add(self, value: Value, movement: np.ndarray | None) -> int | None:
        """Add the movement of a value, if it has one, and return the position of its first code."""
        if movement is None or not isinstance(value, Array):
            return None
        codes, own = coded(value.values, movement)
        self.codes.append(codes)
        self.own.append(own)
        self.end += codes.size
        return self.end - codes.size


def written_entry(request: TypedRequest, expectation: Expectation, starts: StartsOf) -> list[Any]:
    forms = forms_in(request, expectation.request)
    places = [
        [
            written_key(place),
            expected.dtype,
            size_of(expected.value),
            expected.error,
            starts.add(expected.value, expected.spread),
            starts.add(expected.value, expected.slack),
        ]
        for place, expected in expectation.places.items()
    ]
    state, results = ([[name, written_form(form)] for name, form in some.items()] for some in (forms.state, forms.results))
    return [state, results, places, written_error(expectation.error), expectation.sound]


def read_entry(content: list[Any]) -> Entry:
    state, results, places, error, sound = content
    forms = Forms({name: read_form(form) for name, form in state}, {number: read_form(form) for number, form in results})
    return Entry(forms, tuple(ShippedPlace(read_key(key), *others) for key, *others in places), read_error(error), sound)


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
    apart = octaves_between(kept, fresh)
    if (far := int((~(apart <= np.log2(FACTOR))).sum())) > BY_CHANCE * apart.size:
        yield _("{far} of {n} spreads differ by more than a factor of {factor:g}.", far=far, n=apart.size, factor=FACTOR)


def said_by(entry: Entry) -> object:
    """Return all that an entry says, except for the numbers."""
    places = [(each.place, each.dtype, each.size, each.error, each.spread is None, each.slack is None) for each in entry.places]
    forms = [
        [(name, form and (form.shape, form.dtype)) for name, form in some.items()] for some in (entry.forms.state, entry.forms.results)
    ]
    return forms, places, entry.error and (entry.error.types, entry.error.step), entry.sound


def octaves_between(one: Shipped, other: Shipped) -> np.ndarray:
    """Return the distances, in octaves, between the movements of two files, number by number. Both need the same forms."""
    pairs = [(one.codes_of(one.entries[name]), other.codes_of(entry)) for name, entry in other.entries.items()]
    return joined([octaves(*mine, *theirs) for mine, theirs in pairs], np.float64)


def octaves(codes: np.ndarray, own: np.ndarray, other_codes: np.ndarray, other_own: np.ndarray) -> np.ndarray:
    """Return the octaves between two vectors of codes, each with its numbers that are kept as they are."""
    apart: np.ndarray = np.abs(codes.astype(np.float64) - other_codes) / STEPS
    mine, theirs = codes == OWN, other_codes == OWN
    apart[mine != theirs] = np.inf
    if np.array_equal(mine, theirs):
        with np.errstate(all="ignore"):
            same = (own == other_own) | (np.isnan(own) & np.isnan(other_own))
            apart[mine] = np.where(same, 0.0, np.abs(np.log2(own / other_own)))
    return apart
