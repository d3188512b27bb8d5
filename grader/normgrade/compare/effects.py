"""What every known mistake changes in every play of a suite: computed once for an exercise and a seed, then kept as flat vectors.

An effect is a fact of a play, as compare/facts.py has them, that a mistake changes. Its numbers are kept as what they differ by from the
reference's, in float64 and natively.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from normgrade.compare.facts import Facts, Right, facts_of
from normgrade.compare.played import Played, PlayKey
from normgrade.course.mistakes import Mistake
from normgrade.language.errors import CourseError
from normgrade.oracle.expectation import Oracle, widened
from normgrade.oracle.expected import Expectation
from normgrade.oracle.kept import Damaged, packed, unpacked
from normgrade.worker.observation import Array, Observation, Request

Plays = Sequence[tuple[PlayKey, Played]]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the facts and the numbers of every play stand among those of all plays of a suite."""

    keys: tuple[PlayKey, ...]
    facts: tuple[int, ...]  # how many each play has
    numbers: tuple[int, ...]

    @cached_property
    def first_fact(self) -> dict[PlayKey, int]:
        return dict(zip(self.keys, np.cumsum([0, *self.facts[:-1]]).tolist(), strict=True)) if self.keys else {}

    @cached_property
    def first_number(self) -> dict[PlayKey, int]:
        return dict(zip(self.keys, np.cumsum([0, *self.numbers[:-1]]).tolist(), strict=True)) if self.keys else {}

    def fits(self, key: PlayKey, right: Right) -> bool:
        """Whether a play is the one of that key, as far as its size tells."""
        if key not in self.first_fact:
            return False
        index = self.keys.index(key)
        return (self.facts[index], self.numbers[index]) == (right.size, len(right.numbers))


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of all mistakes of an exercise.

    Of a form or an ending, `mistake`, `fact` and `word` have one entry each, the word being a number in `words`. Of numbers, `owner` is the
    mistake, `place` the fact, `column` where the numbers of the place begin among those of all plays, and `starts` where they begin in
    `exact` and `native`. `unstable` marks numbers that are right in float64.
    """

    layout: Layout
    mistakes: tuple[str, ...]
    words: tuple[str, ...]
    mistake: np.ndarray
    fact: np.ndarray
    word: np.ndarray
    owner: np.ndarray
    place: np.ndarray
    column: np.ndarray
    starts: np.ndarray  # one entry more than `owner`
    unstable: np.ndarray
    exact: np.ndarray
    native: np.ndarray

    def slices(self, owners: np.ndarray) -> list[slice]:
        """Where the entries of each mistake stand, given the mistake of each entry: `mistake` or `owner`, both in ascending order."""
        ends = np.searchsorted(owners, np.arange(len(self.mistakes) + 1)).tolist()
        return [slice(first, end) for first, end in pairwise(ends)]

    def plays_of(self, name: str) -> frozenset[PlayKey]:
        """The plays in which the mistake of that name changes anything."""
        number, ends = self.mistakes.index(name), np.cumsum(self.layout.facts)
        facts = np.concatenate([self.fact[self.mistake == number], self.place[self.owner == number]])
        return frozenset(self.layout.keys[play] for play in np.searchsorted(ends, facts, side="right").tolist())


@dataclass
class Collected:
    """Effects while they are collected."""

    words: dict[str, int] = field(default_factory=dict)
    forms: list[tuple[int, int, int]] = field(default_factory=list)
    numbers: list[tuple[int, int, int, int, bool]] = field(default_factory=list)
    exact: list[np.ndarray] = field(default_factory=list)
    native: list[np.ndarray] = field(default_factory=list)

    def add_word(self, mistake: int, fact: int, word: str) -> None:
        self.forms.append((mistake, fact, self.words.setdefault(word, len(self.words))))

    def add_numbers(self, mistake: int, fact: int, column: int, unstable: bool, exact: np.ndarray, native: np.ndarray) -> None:
        if len(exact):
            self.numbers.append((mistake, fact, column, len(exact), unstable))
            self.exact.append(exact.astype(np.float32))
            self.native.append(native.astype(np.float32))


def effects_of(
    plays: Plays,
    reference: str,
    mistakes: Sequence[Mistake],
    oracle: Oracle,
    tick: Callable[[], None] = lambda: None,
) -> Effects:
    """What each mistake changes in these plays. `tick` is called after each mistake."""
    layout = Layout(
        tuple(key for key, _ in plays),
        tuple(play.right.size for _, play in plays),
        tuple(len(play.right.numbers) for _, play in plays),
    )
    found = Collected()
    with np.errstate(all="ignore"):
        prepared = [prepare(key, play, reference, oracle) for key, play in plays] if mistakes else []
        for number, mistake in enumerate(mistakes):
            for each in prepared:
                add_effects(found, number, mistake.source, oracle, layout, each)
            tick()
    return Effects(layout, tuple(mistake.name for mistake in mistakes), tuple(found.words), *vectors_of(found))


class Prepared(NamedTuple):
    """A play, made ready for every mistake: what the reference does natively, and the request in float64."""

    key: PlayKey
    expectation: Expectation
    right: Right
    reference: Observation
    wide: Request


def prepare(key: PlayKey, play: Played, reference: str, oracle: Oracle) -> Prepared:
    request = play.expectation.request
    return Prepared(key, play.expectation, play.right, oracle.natively(reference, request), widened(request))


def add_effects(found: Collected, number: int, source: str, oracle: Oracle, layout: Layout, play: Prepared) -> None:
    """The effects of one mistake in one play.

    What does natively the very same as the reference does so in float64, too, and what is natively `close` to it is not wrong in float64:
    a rounding is far smaller than half of what a number may be off.
    """
    request, right = play.expectation.request, play.right
    try:
        native = oracle.natively(source, request, play.expectation.size_bytes)
    except CourseError:  # it cannot be executed: `verify` says so
        return
    if same(native, play.reference):
        return
    oracle.remember(source, request, native)
    natively = facts_of(native, right)
    exactly = natively if natively.close else facts_of(oracle.exactly(source, play.wide), right)
    first = layout.first_fact[play.key]
    for index in range(len(right.places)):
        add_effects_at(found, number, first, layout.first_number[play.key], index, right, natively, exactly)
    if natively.wrong[-1]:
        found.add_word(number, first + right.size - 1, natively.ending)


def add_effects_at(
    found: Collected, number: int, first: int, column: int, index: int, right: Right, natively: Facts, exactly: Facts
) -> None:
    """The effects of one mistake at one place."""
    form, numbers = 2 * index, 2 * index + 1
    if natively.wrong[form]:
        found.add_word(number, first + form, str(natively.forms[index]))
    if natively.wrong[numbers] or (natively.reached[numbers] and exactly.wrong[numbers]):
        here = slice(right.starts[index], right.starts[index + 1])
        exact, native = (facts.numbers[here] - right.numbers[here] for facts in (exactly, natively))
        unstable = bool(exactly.reached[numbers] and not exactly.wrong[numbers])
        found.add_numbers(number, first + numbers, column + int(right.starts[index]), unstable, exact, native)


def same(one: Observation, other: Observation) -> bool:
    """Whether two plays gave the very same values and ended alike."""
    ends = [None if each.error is None else (each.error.types, each.error.step) for each in (one, other)]
    return (
        ends[0] == ends[1]
        and one.values.keys() == other.values.keys()
        and all(same_value(value, other.values[place]) for place, value in one.values.items())
    )


def same_value(one: object, other: object) -> bool:
    if isinstance(one, Array) and isinstance(other, Array):
        return one.dtype == other.dtype and one.values.shape == other.values.shape and one.values.tobytes() == other.values.tobytes()
    return type(one) is type(other) and one == other


def vectors_of(found: Collected) -> tuple[np.ndarray, ...]:
    """The vectors of `Effects`, in its order."""
    forms = np.array(found.forms, np.int64).reshape(-1, 3)
    numbers = np.array(found.numbers, np.int64).reshape(-1, 5)
    starts = np.concatenate([[0], np.cumsum(numbers[:, 3])])
    exact, native = (np.concatenate(parts) if parts else np.zeros(0, np.float32) for parts in (found.exact, found.native))
    return (*forms.T, *numbers.T[:3], starts, numbers[:, 4].astype(bool), exact, native)


def merged(parts: Sequence[Effects]) -> Effects:
    """The effects of all mistakes, from those of some of them each; the plays are the same."""
    words = {word: number for number, word in enumerate(dict.fromkeys(word for part in parts for word in part.words))}
    firsts = np.cumsum([0, *(len(part.mistakes) for part in parts)])[:-1]
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    vectors = {name: np.concatenate([getattr(part, name) for part in parts]) for name in VECTORS}
    vectors |= {
        "mistake": np.concatenate([part.mistake + first for part, first in zip(parts, firsts, strict=True)]),
        "owner": np.concatenate([part.owner + first for part, first in zip(parts, firsts, strict=True)]),
        "word": np.concatenate([np.array([words[word] for word in part.words], np.int64)[part.word] for part in parts]),
        "starts": np.concatenate([[0], np.cumsum(lengths)]),
    }
    return Effects(parts[0].layout, tuple(name for part in parts for name in part.mistakes), tuple(words), **vectors)


# As bytes, for the cache

VECTORS = ("mistake", "fact", "word", "owner", "place", "column", "starts", "unstable", "exact", "native")


def encode(effects: Effects) -> bytes:
    vectors = [np.ascontiguousarray(getattr(effects, name)) for name in VECTORS]
    layout = effects.layout
    return packed(
        {
            "plays": [[*key, facts, numbers] for key, facts, numbers in zip(layout.keys, layout.facts, layout.numbers, strict=True)],
            "mistakes": list(effects.mistakes),
            "words": list(effects.words),
            "vectors": [Array(vector, vector.dtype.name) for vector in vectors],
        }
    )


def decode(content: bytes) -> Effects:
    """The effects that `encode` wrote; Damaged where the bytes are anything else."""
    found = unpacked(content)
    try:
        plays = found["plays"]
        layout = Layout(tuple((check, number) for check, number, *_ in plays), *(tuple(each) for each in columns(plays)))
        vectors = [array.values for array in found["vectors"]]
        return Effects(layout, tuple(found["mistakes"]), tuple(found["words"]), *vectors)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Damaged from error


def columns(plays: Iterable[Sequence[int]]) -> tuple[list[int], list[int]]:
    """How many facts and how many numbers every play has."""
    listed = list(plays)
    return [play[2] for play in listed], [play[3] for play in listed]
