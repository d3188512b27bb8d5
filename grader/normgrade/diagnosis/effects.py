"""The changes that known mistakes make in the plays of a suite, as flat vectors.

An effect is a fact of a play, as in compare/facts.py, that a mistake changes. Its numbers are kept as differences from the reference's,
once from a play in float64 and once from a native play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from normgrade.compare.facts import Facts, Right, facts_of
from normgrade.compare.played import Played, PlayKey
from normgrade.course.mistakes import Mistake
from normgrade.language.errors import CourseError
from normgrade.oracle.expected import Expectation
from normgrade.oracle.inputs import widened
from normgrade.oracle.oracle import Oracle
from normgrade.worker.wire.observation import Array, Observation, Request

Plays = Sequence[tuple[PlayKey, Played]]


@dataclass(frozen=True, eq=False)
class Layout:
    """The positions of every play's facts and numbers among those of all plays of a suite."""

    keys: tuple[PlayKey, ...]
    facts: tuple[int, ...]  # how many each play has
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, plays: Plays) -> Layout:
        """Return the layout of these plays."""
        rights = [play.right for _, play in plays]
        return cls(tuple(key for key, _ in plays), tuple(each.size for each in rights), tuple(len(each.numbers) for each in rights))

    @cached_property
    def first_fact(self) -> dict[PlayKey, int]:
        return dict(zip(self.keys, np.cumsum([0, *self.facts[:-1]]).tolist(), strict=True)) if self.keys else {}

    @cached_property
    def first_number(self) -> dict[PlayKey, int]:
        return dict(zip(self.keys, np.cumsum([0, *self.numbers[:-1]]).tolist(), strict=True)) if self.keys else {}

    def fits(self, key: PlayKey, right: Right) -> bool:
        """Return True if a play is the one of that key, as far as its size tells."""
        if key not in self.first_fact:
            return False
        index = self.keys.index(key)
        return (self.facts[index], self.numbers[index]) == (right.size, len(right.numbers))


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of some mistakes of an exercise, in the plays of a layout.

    Each effect on a form or an ending has one entry in `mistake`, `fact` and `word`; the word is an index into `words`. Each effect on
    numbers has one entry in `owner`, its mistake, and `place`, its fact. `column` has the index of its first number among those of all
    plays, and `starts` the index in `exact` and `native`. `unstable` marks numbers that are right in float64.
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
        """Return the slice of each mistake's entries, given the mistake of each entry: `mistake` or `owner`, both in ascending order."""
        ends = np.searchsorted(owners, np.arange(len(self.mistakes) + 1)).tolist()
        return [slice(first, end) for first, end in pairwise(ends)]


class Numbers(NamedTuple):
    """The numbers of one place that a mistake changes. `first` is their index in the play; `unstable` ones are right in float64."""

    place: int
    first: int
    unstable: bool
    exact: np.ndarray
    native: np.ndarray

    def is_wrong_in_float64_only(self, right: Right) -> bool:
        """Return True if the native numbers are right, as far as the sample tells, and those in float64 are not."""
        allowed = right.allowed[self.first :][: len(self.native)]
        natively, exactly = ((np.abs(numbers) <= allowed).all() for numbers in (self.native, self.exact))
        return bool(natively and not exactly)


class Change(NamedTuple):
    """The changes of one mistake in one play: forms and the ending, by fact, and numbers. `rough` ones are from a native play only."""

    words: tuple[tuple[int, str], ...] = ()
    numbers: tuple[Numbers, ...] = ()
    rough: bool = False

    def natively(self, right: Right) -> Change:
        """Return the change as a native play shows it, without the numbers in float64."""
        if self.rough:
            return self
        wrong = (each for each in self.numbers if not each.is_wrong_in_float64_only(right))
        return Change(self.words, tuple(each._replace(unstable=False, exact=each.native) for each in wrong), rough=True)


NOTHING = Change()
OnChange = Callable[[int, PlayKey, Change], None]


def change_of(natively: Facts, exactly: Facts | None, right: Right) -> Change:
    """Return the change of a mistake, given a native play and one in float64, which is not needed if the native one is `close`."""
    words = [(2 * index, str(form)) for index, form in enumerate(natively.forms) if natively.wrong[2 * index]]
    if natively.wrong[-1]:
        words.append((right.size - 1, natively.ending))
    rough = exactly is None and not natively.close
    return Change(tuple(words), tuple(numbers_of(natively, exactly or natively, right)), rough)


def numbers_of(natively: Facts, exactly: Facts, right: Right) -> Iterator[Numbers]:
    for index in range(len(right.places)):
        fact, here = 2 * index + 1, slice(int(right.starts[index]), int(right.starts[index + 1]))
        if here.stop > here.start and (natively.wrong[fact] or (natively.reached[fact] and exactly.wrong[fact])):
            exact, native = ((facts.numbers[here] - right.numbers[here]).astype(np.float32) for facts in (exactly, natively))
            yield Numbers(index, here.start, bool(exactly.reached[fact] and not exactly.wrong[fact]), exact, native)


def effects_of(
    plays: Plays,
    reference: str,
    mistakes: Sequence[Mistake],
    oracle: Oracle,
    tick: Callable[[], None] = lambda: None,
    on_change: OnChange = lambda mistake, play, change: None,
) -> Effects:
    """Return the effects of the mistakes in these plays, all of them played in this process.

    `tick` is called after each mistake. At the end, `on_change` is called for every change, with the number of the mistake, the play, and
    the change.
    """
    layout = Layout.of(plays)
    found: list[tuple[int, PlayKey, Change]] = []
    with np.errstate(all="ignore"):
        ready = [ReadyPlay.of(key, play, reference, oracle) for key, play in plays] if mistakes else []
        for number, mistake in enumerate(mistakes):
            found += [(number, each.key, change) for each in ready if (change := change_by(mistake.source, oracle, each)) != NOTHING]
            tick()
    for each in found:
        on_change(*each)
    return effects_from(found, layout, [mistake.name for mistake in mistakes])


class ReadyPlay(NamedTuple):
    """A play that is ready for every mistake: the native observation of the reference, and the request in float64."""

    key: PlayKey
    expectation: Expectation
    right: Right
    reference: Observation
    wide: Request

    @classmethod
    def of(cls, key: PlayKey, play: Played, reference: str, oracle: Oracle) -> ReadyPlay:
        request = play.expectation.request
        return cls(key, play.expectation, play.right, oracle.natively(reference, request), widened(request))


def change_by(source: str, oracle: Oracle, play: ReadyPlay) -> Change:
    """Return the change of one mistake in one play.

    The play in float64 is skipped if the native results equal the reference's, since those in float64 are then equal, too. It is also
    skipped if they are `close` to the reference's: a rounding is far smaller than half of the allowed error, so float64 is not wrong.
    """
    request, right = play.expectation.request, play.right
    try:
        native = oracle.natively(source, request, play.expectation.size_bytes)
    except CourseError:  # it cannot be executed, as `verify` reports
        return NOTHING
    if same(native, play.reference):
        return NOTHING
    oracle.remember(source, request, native)
    natively = facts_of(native, right)
    exactly = None if natively.close else facts_of(oracle.exactly(source, play.wide), right)
    return change_of(natively, exactly, right)


def same(one: Observation, other: Observation) -> bool:
    """Return True if two plays gave identical values and ended alike."""
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


def effects_from(changes: Iterable[tuple[int, PlayKey, Change]], layout: Layout, mistakes: Sequence[str]) -> Effects:
    """Return the effects as vectors. The `changes` are in plays of the layout, in ascending order of the mistakes' numbers."""
    numbers_of_words: dict[str, int] = {}
    forms: list[tuple[int, int, int]] = []
    places: list[tuple[int, int, int, int, bool]] = []
    exact, native = [np.zeros(0, np.float32)], [np.zeros(0, np.float32)]
    for mistake, key, change in changes:
        fact, column = layout.first_fact[key], layout.first_number[key]
        forms += [(mistake, fact + own, numbers_of_words.setdefault(word, len(numbers_of_words))) for own, word in change.words]
        places += [(mistake, fact + 2 * each.place + 1, column + each.first, len(each.exact), each.unstable) for each in change.numbers]
        exact += [each.exact for each in change.numbers]
        native += [each.native for each in change.numbers]
    words, numbers = np.array(forms, np.int64).reshape(-1, 3), np.array(places, np.int64).reshape(-1, 5)
    starts, unstable = np.concatenate([[0], np.cumsum(numbers[:, 3])]), numbers[:, 4].astype(bool)
    vectors = (*words.T, *numbers.T[:3], starts, unstable, np.concatenate(exact), np.concatenate(native))
    return Effects(layout, tuple(mistakes), tuple(numbers_of_words), *vectors)
