"""Which known mistake, or which few together, explain everything that was observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from normgrade.compare import agrees, allowed, differences, near, same_numbers, undetermined
from normgrade.mistakes import Mistake, together
from normgrade.observation import Array, Observation
from normgrade.oracle import Expectation, Oracle
from normgrade.report import Diagnosis, Outcome
from normgrade.suite import Fate, Play, Result

MOST_CHECKS = 3  # failed checks from which sets of three mistakes are grown
MOST_BASES = 24  # sets of two that explain one check, and are tried with one more

Fates = Callable[[str], Mapping[str, Fate]]
Chosen = tuple[Mistake, ...]


@dataclass(frozen=True)
class Search:
    """Looks for mistakes whose observations are the submission's, at every check, the failed and the passed ones.

    `fates` tells how an implementation fares when the suite is run on it natively: mistakes of arithmetic show only there.
    """

    results: tuple[Result, ...]  # judged ones, the best determined first
    reference: str
    mistakes: tuple[Mistake, ...]
    oracle: Oracle
    fates: Fates
    sources: dict[Chosen, str | None] = field(default_factory=dict, repr=False)

    @cached_property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.check.outcome is Outcome.FAILED)

    @cached_property
    def right(self) -> tuple[Result, ...]:
        """The checks at which nothing differs. A check may also pass without: one that only looks at shapes."""
        return tuple(result for result in self.results if not any(differs(play) for play in result.plays))

    @cached_property
    def numeric(self) -> tuple[Result, ...]:
        """The failed checks at which nothing but numbers differs: all that unstable arithmetic can do."""
        return tuple(result for result in self.failed if all(differs(play) != "kind" for play in result.plays))

    def explanations(self) -> list[Chosen]:
        """The smallest sets that explain everything; among equals, those that leave the fewest numbers open."""
        singles = [(mistake,) for mistake in self.mistakes]
        found = self.complete(singles)
        if not found:
            suspects = [chosen[0] for chosen in singles if self.possible(chosen, self.right)]
            pairs = list(combinations(suspects, 2))
            found = self.complete(pairs) or self.complete(self.three_together(suspects, pairs))
        open_numbers = {chosen: self.open_numbers(chosen) for chosen in found}
        return [chosen for chosen in found if open_numbers[chosen] == min(open_numbers.values())]

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
                    names = frozenset(mistake.name for mistake in chosen)
                    if names not in seen:
                        seen.add(names)
                        yield chosen

    def source(self, chosen: Chosen) -> str | None:
        if chosen not in self.sources:
            self.sources[chosen] = together(self.reference, chosen)
        return self.sources[chosen]

    def possible(self, chosen: Chosen, results: Iterable[Result]) -> bool:
        """At a glance, nine times cheaper than an expectation: whether nothing that these mistakes lead to is far from what was seen."""
        source = self.source(chosen)
        return source is not None and all(
            play.refusal is not None or any(near(play.observation, glimpse, play.expectation) for glimpse in self.glimpses(source, play))
            for result in results
            for play in result.plays
        )

    def explains(self, chosen: Chosen, result: Result) -> bool:
        """Whether these mistakes lead to what was observed at this check."""
        source = self.source(chosen)
        return source is not None and (
            all(self.explains_play(source, play) for play in result.plays) or self.is_arithmetic_at(source, result)
        )

    def explains_play(self, source: str, play: Play) -> bool:
        _, native = self.glimpses(source, play)
        if play.refusal is not None:
            return refused(play.observation, play.refusal) == refused(native, play.refusal)
        return agrees(play.observation, self.oracle.expectation(source, play.expectation.request), native)

    def is_arithmetic_at(self, source: str, result: Result) -> bool:
        """Whether the implementation is right in float64 at this failed check, and yet fails it natively, at the same request."""
        return (
            result in self.numeric
            and all(self.is_right(source, play) for play in result.plays)
            and self.fates(source).get(result.check.name) == result.fate
        )

    def is_right(self, source: str, play: Play) -> bool:
        exact, native = self.glimpses(source, play)
        return same_numbers(exact, native, play.expectation)

    def fails_alike(self, chosen: Chosen) -> bool:
        """Whether the implementation, played natively, fails the same checks. Asked only where arithmetic is part of the explanation."""
        source = self.source(chosen)
        assert source is not None
        if not any(all(self.is_right(source, play) for play in result.plays) for result in self.failed):
            return True
        fates = self.fates(source)
        return all((fates[result.check.name][0] is Outcome.FAILED) == (result.check.outcome is Outcome.FAILED) for result in self.results)

    def glimpses(self, source: str, play: Play) -> tuple[Observation, Observation]:
        """What the implementation observes in float64, and natively."""
        request = play.expectation.request
        return self.oracle.glimpse(source, request, exact=True), self.oracle.glimpse(source, request, exact=False)

    def open_numbers(self, chosen: Chosen) -> int:
        """How many numbers these mistakes leave undetermined, so that anything would agree with them."""
        source = self.source(chosen)
        assert source is not None
        requests = [play.expectation.request for result in self.results for play in result.plays if play.refusal is None]
        return sum(undetermined(self.oracle.expectation(source, request)) for request in requests)


def diagnose(results: Sequence[Result], reference: str, mistakes: Sequence[Mistake], oracle: Oracle, fates: Fates) -> tuple[Diagnosis, ...]:
    """Every smallest set of known mistakes that explains all; nothing where none does, or where nothing failed."""
    judged = [result for result in results if result.check.outcome in (Outcome.PASSED, Outcome.FAILED) and result.plays]
    search = Search(tuple(sorted(judged, key=looseness)), reference, tuple(mistakes), oracle, fates)
    if not search.failed:
        return ()
    names = tuple(result.check.name for result in results if result.check.outcome is Outcome.FAILED)
    return tuple(Diagnosis(tuple(mistake.name for mistake in chosen), says(chosen), names) for chosen in search.explanations())


def says(mistakes: Sequence[Mistake]) -> str:
    if len(mistakes) == 1:
        return mistakes[0].says
    return "\n".join(f"{number}. {mistake.says}" for number, mistake in enumerate(mistakes, 1))


def refused(seen: Observation | Expectation, errors: tuple[str, ...]) -> bool:
    return seen.error is not None and any(name in seen.error.types for name in errors)


def differs(play: Play) -> str | None:
    """How what was observed differs from what was expected: in "kind", in "numbers", or not at all."""
    if (play.observation.error is None) != (play.expectation.error is None):
        return "kind"
    found = differences(play.observation, play.expectation)
    return None if not found else "kind" if any(difference.at is None for difference in found) else "numbers"


def looseness(result: Result) -> float:
    """How wide the tolerance of a check is, relative to its numbers: mistakes are told apart where it is narrow."""
    widths = [
        float(np.median(allowed(place) / (np.abs(place.value.values) + 1e-30)))
        for play in result.plays
        for place in play.expectation.places.values()
        if isinstance(place.value, Array) and place.spread is not None and place.spread.size
    ]
    return max(widths, default=1e30)
