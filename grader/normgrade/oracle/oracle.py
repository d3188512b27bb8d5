"""The oracle: it answers a request with its expectation, which ships with the exercise, is kept, or is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text, read_where_there
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.language.errors import CourseError
from normgrade.language.places import Place
from normgrade.oracle.cache import Cache
from normgrade.oracle.deferred import Deferred
from normgrade.oracle.draws import complete, completed
from normgrade.oracle.exact_plays import ExactPlays
from normgrade.oracle.expectation import expect, with_spread_of
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.fingerprint import digest_of, fingerprint
from normgrade.oracle.inputs import widened
from normgrade.oracle.kept import Damaged, decode, encode, request_key
from normgrade.oracle.loading import IMPLEMENTATION, PROBES, SHARED, executed, imported
from normgrade.oracle.plays import play_exactly, play_natively
from normgrade.oracle.shipped import Entry, Shipped
from normgrade.worker.wire.observation import Observation, Playable, Request
from normgrade.worker.wire.requests import TypedRequest

SHIPPED, EXACT = "shipped", "exactly"  # the kinds of content that a digest can name


@dataclass(frozen=True)
class Oracle:
    """An oracle that answers requests for trusted implementations: references, alternatives, mistakes.

    `probes` is the source of the exercise's own probes. The spread of each number of the `reference` is the largest of the reference's own
    spread and those of the alternatives in `spread`. So the way in which the reference happens to be written does not decide.
    """

    cache: Cache
    probes: str | None = None
    reference: str | None = None
    spread: tuple[str, ...] = ()
    shared_probes: str | None = None
    written_with: Library = Library.TORCH
    ships: Path | None = None  # the file of expectations that ships with the exercise
    exact_plays: ExactPlays | None = field(default=None, repr=False)  # of the reference; if None, each is played when it is requested
    held: dict[str, Expectation] = field(default_factory=dict, repr=False)  # from the shipped file
    recorded: dict[str, tuple[TypedRequest, Expectation]] | None = field(default=None, repr=False)  # by name, as they were asked
    remembered: dict[tuple[str, int], tuple[Playable, Observation]] | None = None  # by the source, and the identity of the request

    @classmethod
    def of(cls, exercise: Exercise, cache: Cache) -> Oracle:
        """Return the oracle of an exercise. Raise CourseError if `spread` names an alternative that does not exist."""
        alternatives = {path.stem: path for path in exercise.alternatives}
        if unknown := next((name for name in exercise.spread if name not in alternatives), None):
            slug, known = exercise.slug, ", ".join(alternatives)
            raise CourseError(
                _('{slug}: `spread` names "{name}", which is no alternative; there is {known}.', slug=slug, name=unknown, known=known)
            )
        probes, shared = map(read_where_there, (exercise.probes, exercise.shared_probes))
        spread = tuple(read_text(alternatives[name]) for name in exercise.spread)
        return cls(cache, probes, read_text(exercise.reference), spread, shared, exercise.written_with, exercise.spreads)

    @cached_property
    def shipped(self) -> Shipped:
        """The shipped file, read when it is first needed."""
        return Shipped() if self.ships is None else Shipped.of(self.ships)

    def afresh(self) -> Oracle:
        """Return a copy of this oracle that computes the content of the shipped file, and does not use it."""
        return replace(self, ships=None, exact_plays=None, held={})

    def elsewhere(self) -> Oracle:
        """Return a copy of this oracle for another process, with nothing in memory."""
        return replace(self, cache=Cache(self.cache.folder, self.cache.key), exact_plays=None, held={}, remembered=None)

    def expectation(self, source: str, request: TypedRequest, keep: bool = True, anew: bool = False) -> Expectation:
        """Return the expectation of a request: completed, played and, if `keep`, cached.

        Exceptions in the implementation's own code are part of the expectation. With `anew`, it is computed even if it is kept: the kept
        one may come from a machine that was at fault.
        """
        others = self.spread if source == self.reference else ()
        parts: tuple[str | bytes, ...] = (source, self.all_probes, request_key(request), *others)
        if not anew and source == self.reference and (found := self.of_shipped(parts, request)) is not None:
            return found
        key = fingerprint(*parts)
        if not anew and (known := self.cache.get(key)) is not None:
            with suppress(Damaged):  # a damaged entry counts as missing
                return self.record(parts, request, decode(known))
        expectation = self.compute(source, request, others)
        if keep:
            self.cache.put(key, encode(expectation))
        return self.record(parts, request, expectation)

    def forget(self) -> None:
        """Free everything that is held in memory."""
        self.cache.held.clear()
        self.held.clear()
        if self.exact_plays is not None:
            self.exact_plays.seen.clear()

    def record(self, parts: Sequence[str | bytes], request: TypedRequest, expectation: Expectation) -> Expectation:
        """Return the expectation. If this oracle records, add it to `recorded` under the name with which it ships."""
        if self.recorded is not None:
            self.recorded[digest_of(SHIPPED, *parts)] = request, expectation
        return expectation

    def of_shipped(self, parts: Sequence[str | bytes], request: TypedRequest) -> Expectation | None:
        """Return the expectation from the shipped file, or None if it is not there. Its numbers are played when they are needed."""
        name = digest_of(SHIPPED, *parts)
        if name not in self.held and (entry := self.shipped.get(name)) is not None:
            asked = completed(request, entry.forms)
            wide, own_name = widened(asked), fingerprint(EXACT, *parts, repr(entry.forms))
            if self.exact_plays is not None:
                self.exact_plays.owe(own_name, wide)
            places = Deferred(partial(self.shipped_places, entry, own_name, asked, wide))
            self.held[name] = Expectation(asked, places, entry.error, entry.sound, entry.largest_bytes)
        return self.held.get(name)

    def shipped_places(self, entry: Entry, name: str, asked: TypedRequest, wide: Request) -> Mapping[Place, Expected]:
        """Return the expected places, from a play in float64. If the play does not fit the shipped entry, compute everything here."""
        assert self.reference is not None
        seen = self.exactly(self.reference, wide) if self.exact_plays is None else self.exact_plays.of(name, wide)
        places = None if seen is None else self.shipped.places(entry, seen)
        return self.compute(self.reference, asked, self.spread).places if places is None else places

    def compute(self, source: str, request: TypedRequest, others: tuple[str, ...] = ()) -> Expectation:
        implementation, probes = self.modules(source)
        asked = complete(implementation, request, probes, self.written_with)
        expectation = expect(implementation, asked, probes, written_with=self.written_with)
        for other in others:
            theirs = expect(self.modules(other)[0], expectation.request, probes, written_with=self.written_with)
            expectation = with_spread_of(expectation, theirs)
        return expectation

    def exactly(self, source: str, wide: Request) -> Observation:
        """Play a request once in float64, without any spread. It has to be complete and `widened`."""
        implementation, probes = self.modules(source)
        return play_exactly(implementation, wide, probes, written_with=self.written_with)

    def played_here(self, requests: Iterable[Request]) -> Iterator[Observation]:
        """Yield the reference's plays in float64, played in this process."""
        assert self.reference is not None
        return map(partial(self.exactly, self.reference), requests)

    def natively(self, source: str, request: Playable, size_limit_bytes: int | None = None) -> Observation:
        """Play a request natively once, as a worker does. If the play is remembered, return it and forget it."""
        _request, remembered = (self.remembered or {}).pop((source, id(request)), (request, None))
        if remembered is not None:
            return remembered
        implementation, probes = self.modules(source)
        return play_natively(implementation, request, probes, size_limit_bytes, written_with=self.written_with)

    def remembering(self) -> Oracle:
        """Return a copy of this oracle whose `remember` stores native plays, which `natively` then returns at once."""
        return replace(self, remembered={})

    def remember(self, source: str, request: Playable, native: Observation) -> None:
        """Remember a native play if this oracle remembers plays."""
        if self.remembered is not None:
            self.remembered[source, id(request)] = request, native  # the request is kept, too, so that its id is not reused

    def lines_of_probes(self, source: str, request: TypedRequest) -> tuple[int, ...]:
        """Return the lines of the exercise's own probes through which an exception comes when they are played on this source."""
        implementation, probes = self.modules(source)
        if probes is None:
            return ()
        native = play_natively(implementation, request, probes, traced=probes, written_with=self.written_with)
        wide = widened(request)
        error = native.error or play_exactly(implementation, wide, probes, traced=probes, written_with=self.written_with).error
        return () if error is None else tuple(frame.line for frame in error.frames)

    def modules(self, source: str) -> tuple[ModuleType, ModuleType | None]:
        """Return the source, and the exercise's own probes if it has any, as modules."""
        imported(self.written_with)
        shared = None if self.shared_probes is None else executed(self.shared_probes, SHARED)
        return executed(source, IMPLEMENTATION), None if self.probes is None else executed(self.probes, PROBES, shared)

    @property
    def all_probes(self) -> str:
        """The sources of all probes that the exercise has of its own, or shares."""
        return "\0".join(filter(None, (self.probes, self.shared_probes)))
