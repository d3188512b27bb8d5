"""Which known mistake, or which few together, explain everything that was observed."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any, TypeVar

import numpy as np

from normgrade.compare.differences import agrees, allowed, differences, near, same_numbers, stops_alike, undetermined
from normgrade.course.mistakes import Mistake, together
from normgrade.language.errors import CourseError
from normgrade.oracle.expectation import Expectation, Oracle
from normgrade.report.report import Diagnosis, Outcome, ValueDifference
from normgrade.suite.run import Play, Result
from normgrade.worker.observation import Array, Cause, Observation, Request

MOST_CHECKS = 2  # failed checks from which sets of three mistakes are grown
MOST_ERRORS = 4  # of one type, that are looked at before any search
MOST_BASES = 12  # sets of two that explain one check, and are tried with one more


class OutOfTime(Exception):
    """The search took longer than it may; what it might still have found is not known."""


T = TypeVar("T")
Chosen = tuple[Mistake, ...]
Clock = Callable[[], float]  # in seconds; that of this thread stands still while others compute


@dataclass(frozen=True)
class Search:
    """Looks for mistakes whose observations are the submission's, at every check, the failed and the passed ones.

    Mistakes of arithmetic, such as a one-pass variance, are right in float64; they show only when they are played natively.
    """

    results: tuple[Result, ...]  # judged ones, the best determined first
    reference: str
    mistakes: tuple[Mistake, ...]
    oracle: Oracle
    until: float = math.inf  # on this clock; looked at before every play
    clock: Clock = time.thread_time
    known: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False)

    @cached_property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.check.outcome is Outcome.FAILED)

    @cached_property
    def right(self) -> tuple[Result, ...]:
        """The checks at which nothing differs. A check may also pass without: one that only looks at shapes."""
        return tuple(result for result in self.results if not any(differs(play.observation, play.expectation) for play in result.plays))

    @cached_property
    def numeric(self) -> frozenset[str]:
        """The failed checks at which nothing but numbers differs: all that unstable arithmetic can do."""
        return frozenset(
            result.check.name
            for result in self.failed
            if all(differs(play.observation, play.expectation) != "kind" for play in result.plays)
        )

    def once(self, key: tuple[object, ...], find: Callable[[], T]) -> T:
        """What `find` finds, looked for once. A request's id may be part of a key: every request here lives as long as the search."""
        if key not in self.known:
            if self.clock() > self.until:
                raise OutOfTime
            self.known[key] = find()
        found: T = self.known[key]
        return found

    def explanations(self) -> list[Chosen]:
        """The smallest sets that explain everything; among equals, those that leave the fewest numbers open."""
        if not all(self.is_raised_by_one(kind, plays[:MOST_ERRORS]) for kind, plays in self.unexpected_errors().items()):
            return []
        if self.complete([()]):  # what was computed is right, and names alone differ: no mistake has a part in that
            return []
        singles = [(mistake,) for mistake in self.mistakes]
        found = self.complete(singles)
        if not found:
            suspects = [chosen[0] for chosen in singles if self.possible(chosen, self.right)]
            pairs = [pair for pair in combinations(suspects, 2) if self.add_up(pair)]
            found = self.complete(pairs) or self.complete(self.three_together(suspects, pairs))
        open_numbers = {chosen: self.open_numbers(chosen) for chosen in found}
        return [chosen for chosen in found if open_numbers[chosen] == min(open_numbers.values())]

    def unexpected_errors(self) -> Mapping[str, Sequence[Play]]:
        """The plays that ended in an error where they should not have, by its type."""
        found = defaultdict(list)
        for play in (play for result in self.failed for play in result.plays):
            if play.refusal is None and play.observation.error is not None and not stops_alike(play.observation, play.expectation):
                found["".join(play.observation.error.types[:1])].append(play)
        return found

    def is_raised_by_one(self, kind: str, plays: Sequence[Play]) -> bool:
        """Whether any mistake raises an error of this type in one of these plays, at whatever step; at a glance, before any search."""
        requests = [play.expectation.request for play in plays]
        glimpses = (
            self.glimpse(mistake.source, request, exact) for request, mistake, exact in product(requests, self.mistakes, (False, True))
        )
        return any(glimpse.error is not None and glimpse.error.types[:1] == (kind,) for glimpse in glimpses)

    def complete(self, sets: Iterable[Chosen]) -> list[Chosen]:
        """Those sets that explain everything."""
        return [
            chosen for chosen in sets
            if self.possible(chosen, self.failed)
            and self.possible(chosen, self.right)
            and all(self.explains(chosen, result) for result in self.results)
            and self.fails_alike(chosen)
        ]  # fmt: skip

    def three_together(self, suspects: Sequence[Mistake], pairs: Sequence[Chosen]) -> Iterator[Chosen]:
        """Sets of three, grown from those pairs that explain one failed check alone."""
        seen = set()
        for result in self.failed[:MOST_CHECKS]:
            bases = (pair for pair in pairs if self.possible(pair, [result]) and self.explains(pair, result))
            for base in islice(bases, MOST_BASES):
                for chosen in ((*base, mistake) for mistake in suspects if mistake not in base):
                    names = frozenset(names_of(chosen))
                    if names not in seen:
                        seen.add(names)
                        yield chosen

    def add_up(self, pair: Chosen) -> bool:
        """Whether two mistakes may explain every failed check, but for one at most where they may act only together."""
        misfits = (result for result in self.failed if not self.add_up_at(pair, result))
        return len(list(islice(misfits, 2))) < 2

    def add_up_at(self, pair: Chosen, result: Result) -> bool:
        """Both have a part in this failed check, or the one that has is possible there alone; or neither, where names alone differ."""
        taking_part = tuple(mistake for mistake in pair if self.takes_part(mistake, result))
        return len(taking_part) > 1 or self.possible_alone(taking_part, result)

    def takes_part(self, mistake: Mistake, result: Result) -> bool:
        """Whether a mistake alone changes anything at a check."""
        return self.once(
            ("takes part", mistake.name, result.check.name),
            lambda: any(
                play.refusal is not None
                or not self.is_right(mistake.source, play)
                or (result.check.name in self.numeric and self.fails_natively(mistake.source, play))
                for play in result.plays
            ),
        )

    def possible_alone(self, chosen: Chosen, result: Result) -> bool:
        """The same as `possible`, remembered: of one mistake, or of none at all."""
        return self.once(("possible", result.check.name, *names_of(chosen)), lambda: self.possible(chosen, [result]))

    def source(self, chosen: Chosen) -> str | None:
        """The reference with these mistakes; None where they cannot be made together, or the result cannot be executed."""

        def find() -> str | None:
            source = together(self.reference, chosen)
            try:
                if source is not None:
                    self.oracle.modules(source)
            except CourseError:
                return None
            return source

        return self.once(("source", *names_of(chosen)), find)

    def possible(self, chosen: Chosen, results: Iterable[Result]) -> bool:
        """At a glance, far cheaper than an expectation: whether nothing that these mistakes lead to is far from what was seen."""
        source = self.source(chosen)
        return source is not None and all(
            self.is_arithmetic_at(chosen, source, result) or all(self.possible_play(source, play) for play in result.plays)
            for result in results
        )

    def possible_play(self, source: str, play: Play) -> bool:
        if play.refusal is not None:
            return self.explains_refusal(source, play)
        request = play.expectation.request
        first = self.once(("opening", id(request)), lambda: opening(request))
        return (first is None or self.near(source, play, first)) and self.near(source, play, request)

    def near(self, source: str, play: Play, request: Request) -> bool:
        whole = request is play.expectation.request
        glimpses = (self.glimpse(source, request, exact) for exact in (False, True))
        return any(near(play.observation, glimpse, play.expectation, whole) for glimpse in glimpses)

    def explains(self, chosen: Chosen, result: Result) -> bool:
        """Whether these mistakes lead to what was observed at this check."""
        source = self.source(chosen)
        return source is not None and (
            self.is_arithmetic_at(chosen, source, result) or all(self.explains_play(source, play) for play in result.plays)
        )

    def explains_play(self, source: str, play: Play) -> bool:
        if play.refusal is not None:
            return self.explains_refusal(source, play)
        native = self.glimpse(source, play.expectation.request, exact=False)
        return agrees(play.observation, self.expectation(source, play.expectation.request), native)

    def explains_refusal(self, source: str, play: Play) -> bool:
        """Whether both refuse, or neither does."""
        assert play.refusal is not None
        native = self.glimpse(source, play.expectation.request, exact=False)
        return refused(play.observation, play.refusal) == refused(native, play.refusal)

    def is_arithmetic_at(self, chosen: Chosen, source: str, result: Result) -> bool:
        """Whether these mistakes are right in float64 at this failed check, and yet fail it natively, at the same request."""
        return (
            result.check.name in self.numeric
            and all(self.is_right_alone(mistake, result) for mistake in chosen)
            and all(self.is_right(source, play) for play in result.plays)
            and self.fails_natively(source, result.plays[-1])
        )

    def is_right_alone(self, mistake: Mistake, result: Result) -> bool:
        return self.once(
            ("right", mistake.name, result.check.name), lambda: all(self.is_right(mistake.source, play) for play in result.plays)
        )

    def is_right(self, source: str, play: Play) -> bool:
        exact, native = (self.glimpse(source, play.expectation.request, exact) for exact in (True, False))
        return same_numbers(exact, native, play.expectation)

    def fails_natively(self, source: str, play: Play) -> bool:
        return differs(self.glimpse(source, play.expectation.request, exact=False), play.expectation) is not None

    def fails_alike(self, chosen: Chosen) -> bool:
        """Whether mistakes of arithmetic, where they are part of the explanation, pass the checks that were passed."""
        source = self.source(chosen)
        assert source is not None
        if not any(self.is_arithmetic_at(chosen, source, result) for result in self.failed):
            return True
        return not any(self.fails_natively(source, play) for result in self.right for play in result.plays)

    def glimpse(self, source: str, request: Request, exact: bool) -> Observation:
        """What an implementation observes in one play, in float64 or natively."""
        return self.once(("glimpse", source, id(request), exact), lambda: self.oracle.glimpse(source, request, exact))

    def expectation(self, source: str, request: Request) -> Expectation:
        """What an implementation should observe. That of a single mistake is kept for other searches; there are too many combinations."""
        single = any(source == mistake.source for mistake in self.mistakes)
        return self.once(("expectation", source, id(request)), lambda: self.oracle.expectation(source, request, keep=single))

    def open_numbers(self, chosen: Chosen) -> int:
        """How many numbers these mistakes leave undetermined, so that anything would agree with them."""
        source = self.source(chosen)
        assert source is not None
        requests = [play.expectation.request for result in self.results for play in result.plays if play.refusal is None]
        return sum(undetermined(self.expectation(source, request)) for request in requests)


def diagnose(
    results: Sequence[Result],
    reference: str,
    mistakes: Sequence[Mistake],
    oracle: Oracle,
    within_s: float = math.inf,
    clock: Clock = time.thread_time,
) -> tuple[Diagnosis, ...]:
    """Every smallest set of known mistakes that explains all; nothing where none does, or where nothing failed. May be OutOfTime."""
    judged = [result for result in results if result.check.outcome in (Outcome.PASSED, Outcome.FAILED) and result.plays]
    search = Search(tuple(sorted(judged, key=looseness)), reference, tuple(mistakes), oracle, clock() + within_s, clock)
    if not search.failed or any(died(play.observation) for result in judged for play in result.plays):
        return ()
    names = tuple(result.check.name for result in results if result.check.outcome is Outcome.FAILED)
    return tuple(Diagnosis(names_of(chosen), says(chosen), names) for chosen in search.explanations())


def names_of(chosen: Chosen) -> tuple[str, ...]:
    return tuple(mistake.name for mistake in chosen)


def says(mistakes: Sequence[Mistake]) -> str:
    if len(mistakes) == 1:
        return mistakes[0].says
    return "\n".join(f"{number}. {mistake.says}" for number, mistake in enumerate(mistakes, 1))


def refused(seen: Observation | Expectation, errors: tuple[str, ...]) -> bool:
    return seen.error is not None and any(name in seen.error.types for name in errors)


def differs(observation: Observation, expectation: Expectation) -> str | None:
    """How what was observed differs from what was expected: in "kind", in "numbers", or not at all."""
    if (observation.error is None) != (expectation.error is None):
        return "kind"
    found = differences(observation, expectation)
    return None if not found else "kind" if any(isinstance(difference, ValueDifference) for difference in found) else "numbers"


def died(observation: Observation) -> bool:
    """Whether there was no answer at all; no mistake that is known goes so far."""
    return observation.error is not None and observation.error.cause is not Cause.RAISED


def opening(request: Request) -> Request | None:
    """The first step of a layer's story, forward only: a fourth of the work."""
    match request.inputs:
        case {"steps": [{"upstream": _} as step, *_]}:
            return Request(request.probe, {**request.inputs, "steps": [{**step, "upstream": None}]})
    return None


def looseness(result: Result) -> float:
    """How wide the tolerance of a check is, relative to its numbers: mistakes are told apart where it is narrow."""
    widths = [
        float(np.median(allowed(place) / (np.abs(place.value.values) + 1e-30)))
        for play in result.plays
        for place in play.expectation.places.values()
        if isinstance(place.value, Array) and place.spread is not None and place.spread.size
    ]
    return max(widths, default=1e30)
