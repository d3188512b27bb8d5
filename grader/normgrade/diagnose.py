"""Which known mistake, or which two together, explains everything that was observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from normgrade.compare import agrees, allowed, same_numbers
from normgrade.mistakes import Mistake, together
from normgrade.observation import Array, Observation
from normgrade.oracle import Expectation, Oracle
from normgrade.report import Diagnosis, Outcome
from normgrade.suite import Play, Result

MOST_TOGETHER = 3
MOST_BASES = 24  # of explanations of one check that are tried with one more mistake
FAR = 1000.0  # how many times the reference's own tolerance an observation must be off to rule a mistake out at a glance

Outcomes = Callable[[str], Mapping[str, Outcome]]


@dataclass(frozen=True)
class Search:
    """Looks for mistakes whose observations are the submission's, at every check, the failed and the passed ones.

    `outcomes` tells how an implementation fares when the suite is run on it natively: mistakes of arithmetic show only there.
    """

    results: tuple[Result, ...]  # judged ones, the failed before the passed, the best determined first
    reference: str
    mistakes: tuple[Mistake, ...]
    oracle: Oracle
    outcomes: Outcomes

    @property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.check.outcome is Outcome.FAILED)

    def explains(self, source: str, results: Iterable[Result]) -> bool:
        """Whether an implementation observes what the submission did at these checks."""
        return all(self.explains_check(source, result) for result in results)

    def explains_check(self, source: str, result: Result) -> bool:
        if all(self.explains_play(source, play) for play in result.plays):
            return True
        return result.check.outcome is Outcome.FAILED and self.is_arithmetic_at(source, result)

    def explains_play(self, source: str, play: Play) -> bool:
        if play.refusal is None and not self.plausible(source, play):
            return False
        mistaken = self.oracle.expectation(source, play.expectation.request)
        if play.refusal is not None:
            return refused(play.observation, play.refusal) == refused(mistaken, play.refusal)
        return agrees(play.observation, mistaken)

    def plausible(self, source: str, play: Play) -> bool:
        """A glance, nine times cheaper than an expectation: one play in float64, and a very wide tolerance."""
        glimpse = self.oracle.glimpse(source, play.expectation.request)
        return not any(far_off(play, place, value) for place, value in glimpse.values.items() if isinstance(value, Array))

    def is_arithmetic_at(self, source: str, result: Result) -> bool:
        """Whether the implementation is right in float64 at this check, and yet fails it natively."""
        exact = all(same_numbers(self.oracle.expectation(source, play.expectation.request), play.expectation) for play in result.plays)
        return exact and self.outcomes(source).get(result.check.name) is Outcome.FAILED

    def fails_alike(self, source: str) -> bool:
        """Whether the implementation, played natively, fails the same checks. Asked only where arithmetic is part of the explanation."""
        exact = [
            result for result in self.failed
            if all(same_numbers(self.oracle.expectation(source, play.expectation.request), play.expectation) for play in result.plays)
        ]  # fmt: skip
        if not exact:
            return True
        outcomes = self.outcomes(source)
        return all((outcomes[result.check.name] is Outcome.FAILED) == (result.check.outcome is Outcome.FAILED) for result in self.results)

    def complete(self, sets: Iterable[tuple[Mistake, ...]]) -> list[tuple[Mistake, ...]]:
        """Those sets of mistakes that explain everything."""
        return [
            chosen for chosen in sets
            if (source := together(self.reference, chosen)) is not None and self.explains(source, self.results) and self.fails_alike(source)
        ]  # fmt: skip

    def three_together(self) -> Iterator[tuple[Mistake, ...]]:
        """Sets of three, grown from those smaller ones that explain one failed check alone."""
        smaller = [chosen for size in (1, 2) for chosen in combinations(self.mistakes, size)]
        for result in self.failed[:MOST_TOGETHER]:
            explaining = (
                chosen for chosen in smaller
                if (source := together(self.reference, chosen)) is not None and self.explains_check(source, result)
            )  # fmt: skip
            for base in islice(explaining, MOST_BASES):
                for mistake in self.mistakes:
                    if mistake not in base and len(base) == MOST_TOGETHER - 1:
                        yield (*base, mistake)


def diagnose(
    results: Sequence[Result], reference: str, mistakes: Sequence[Mistake], oracle: Oracle, outcomes: Outcomes
) -> tuple[Diagnosis, ...]:
    """Every smallest set of known mistakes that explains all; nothing where none does, or where nothing failed."""
    judged = [result for result in results if result.check.outcome in (Outcome.PASSED, Outcome.FAILED) and result.plays]
    ordered = sorted(judged, key=lambda result: (result.check.outcome is not Outcome.FAILED, looseness(result)))
    search = Search(tuple(ordered), reference, tuple(mistakes), oracle, outcomes)
    if not search.failed:
        return ()
    singles = [(mistake,) for mistake in mistakes]
    found = search.complete(singles) or search.complete(combinations(mistakes, 2)) or search.complete(distinct(search.three_together()))
    names = tuple(result.check.name for result in results if result.check.outcome is Outcome.FAILED)
    return tuple(Diagnosis(tuple(mistake.name for mistake in chosen), says(chosen), names) for chosen in found)


def says(mistakes: Sequence[Mistake]) -> str:
    if len(mistakes) == 1:
        return mistakes[0].says
    return "\n".join(f"{number}. {mistake.says}" for number, mistake in enumerate(mistakes, 1))


def distinct(sets: Iterable[tuple[Mistake, ...]]) -> Iterator[tuple[Mistake, ...]]:
    """Each set once, whatever the order of its mistakes."""
    seen: set[frozenset[str]] = set()
    for chosen in sets:
        names = frozenset(mistake.name for mistake in chosen)
        if names not in seen:
            seen.add(names)
            yield chosen


def refused(seen: Observation | Expectation, errors: tuple[str, ...]) -> bool:
    return seen.error is not None and any(name in seen.error.types for name in errors)


def far_off(play: Play, place: str, value: Array) -> bool:
    seen, right = play.observation.values.get(place), play.expectation.places.get(place)
    if not isinstance(seen, Array) or right is None or not isinstance(right.value, Array) or value.values.dtype.kind != "f":
        return False
    if seen.values.size != value.values.size or right.value.values.size != value.values.size:
        return False
    with np.errstate(all="ignore"):
        margin = FAR * (allowed(right).ravel() + 1e-6 * np.abs(value.values).ravel())
        return bool((np.abs(seen.values.astype(np.float64).ravel() - value.values.ravel()) > margin).any())


def looseness(result: Result) -> float:
    """How wide the tolerance of a check is, relative to its numbers: mistakes are told apart where it is narrow."""
    widths = [
        float(np.median(allowed(place) / (np.abs(place.value.values) + 1e-30)))
        for play in result.plays
        for place in play.expectation.places.values()
        if isinstance(place.value, Array) and place.spread is not None and place.spread.size
    ]
    return max(widths, default=1e30)
