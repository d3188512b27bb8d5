"""Which known mistake, or which few together, explain everything that was observed."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from normgrade.compare.candidate import Candidate, Clock, TimedOracle, is_wrong, made_together
from normgrade.compare.differences import allowed
from normgrade.compare.match import stops_alike
from normgrade.compare.played import Played, Result
from normgrade.course.mistakes import Mistake
from normgrade.oracle.expectation import Oracle
from normgrade.report.report import Diagnosis, Outcome
from normgrade.worker.observation import Array, Cause, Observation

MOST_CHECKS = 2  # failed checks from which sets of three mistakes are grown
MOST_ERRORS = 4  # of one type, that are looked at before any search
MOST_BASES = 12  # sets of two that explain one check, and are tried with one more


@dataclass(frozen=True)
class Search:
    """Looks for the fewest known mistakes that explain what was observed at every check, the failed and the passed ones."""

    results: tuple[Result, ...]  # judged ones, the best determined first
    reference: str
    mistakes: tuple[Mistake, ...]
    oracle: TimedOracle

    def explanations(self) -> list[Candidate]:
        """The smallest sets that explain everything; among equals, those that leave the fewest numbers open."""
        if self.has_unknown_error() or self.names_alone_differ():
            return []
        found = self.complete(self.singles) or self.complete(self.pairs) or self.complete(self.triples())
        open_numbers = [candidate.open_numbers(self.results) for candidate in found]
        return [candidate for candidate, count in zip(found, open_numbers, strict=True) if count == min(open_numbers)]

    @cached_property
    def failed(self) -> tuple[Result, ...]:
        """The checks that failed, the best determined first."""
        return tuple(result for result in self.results if result.check.outcome is Outcome.FAILED)

    @cached_property
    def right(self) -> tuple[Result, ...]:
        """The checks at which nothing differs. A check may also pass without: one that only looks at shapes."""
        return tuple(result for result in self.results if not any(is_wrong(play) for play in result.plays))

    # The candidates

    @cached_property
    def unchanged(self) -> Candidate:
        """The reference itself."""
        return Candidate((), self.reference, self.oracle)

    @cached_property
    def singles(self) -> tuple[Candidate, ...]:
        """Every mistake alone."""
        found = (made_together((mistake,), self.reference, self.oracle) for mistake in self.mistakes)
        return tuple(filter(None, found))

    @cached_property
    def suspects(self) -> tuple[Candidate, ...]:
        """The single mistakes that may be part of an explanation: they change nothing where nothing differs."""
        return tuple(single for single in self.singles if all(single.is_possible_at(result) for result in self.right))

    @cached_property
    def pairs(self) -> tuple[Candidate, ...]:
        """The suspects two by two, where they may add up to what was observed."""
        found = (self.combined(pair) for pair in combinations(self.suspects, 2) if self.may_add_up(pair))
        return tuple(filter(None, found))

    def triples(self) -> Iterator[Candidate]:
        """Three by three, each set once: the bases with one more suspect."""
        tried: set[frozenset[Candidate]] = set()
        for base, suspect in ((base, suspect) for base in self.bases() for suspect in self.suspects if suspect not in base.parts):
            parts = (*base.parts, suspect)
            if frozenset(parts) not in tried and (candidate := self.combined(parts)):
                yield candidate
            tried.add(frozenset(parts))

    def bases(self) -> Iterator[Candidate]:
        """The pairs that explain one failed check alone: some for each of the first checks."""
        for result in self.failed[:MOST_CHECKS]:
            yield from islice((pair for pair in self.pairs if pair.is_possible_at(result) and pair.explains(result)), MOST_BASES)

    def combined(self, parts: tuple[Candidate, ...]) -> Candidate | None:
        """The candidate with the mistakes of several; None where they cannot be made together."""
        mistakes = tuple(mistake for part in parts for mistake in part.mistakes)
        return made_together(mistakes, self.reference, self.oracle, parts)

    def may_add_up(self, pair: Sequence[Candidate]) -> bool:
        """Whether two mistakes may explain every failed check, but for one at most where they may act only together."""
        misfits = (result for result in self.failed if not self.may_add_up_at(pair, result))
        return len(list(islice(misfits, 2))) < 2

    def may_add_up_at(self, pair: Sequence[Candidate], result: Result) -> bool:
        """Both have a part in this failed check, or the one that has is possible there alone; or neither, where names alone differ."""
        match [single for single in pair if single.takes_part_in(result)]:
            case []:
                return self.unchanged.is_possible_at(result)
            case [single]:
                return single.is_possible_at(result)
        return True

    # What they explain

    def names_alone_differ(self) -> bool:
        """Whether what was computed is right: no mistake has a part in that."""
        return self.explains_everything(self.unchanged)

    def has_unknown_error(self) -> bool:
        """Whether the submission raises an error of a type that no mistake raises: at a glance, before any search."""
        return any(not self.is_known(kind, plays[:MOST_ERRORS]) for kind, plays in self.unexpected_errors().items())

    def unexpected_errors(self) -> Mapping[str, Sequence[Played]]:
        """The plays that ended in an error where they should not have, by its type."""
        found = defaultdict(list)
        for play in (play for result in self.failed for play in result.plays):
            if play.refusal is None and play.observation.error is not None and not stops_alike(play.observation, play.expectation):
                found["".join(play.observation.error.types[:1])].append(play)
        return found

    def is_known(self, error_type: str, plays: Sequence[Played]) -> bool:
        """Whether any mistake raises an error of this type in one of these plays."""
        return any(single.replay(play).raises(error_type) for play in plays for single in self.singles)

    def complete(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those that explain everything."""
        return [candidate for candidate in candidates if self.explains_everything(candidate)]

    def explains_everything(self, candidate: Candidate) -> bool:
        """Whether a candidate leads to what was observed at every check; what is cheap is asked first."""
        return (
            all(candidate.is_possible_at(result) for result in (*self.failed, *self.right))
            and all(candidate.explains(result) for result in self.results)
            and self.fails_alike(candidate)
        )

    def fails_alike(self, candidate: Candidate) -> bool:
        """Whether mistakes of arithmetic, where they are part of the explanation, pass the checks that were passed."""
        arithmetic = any(candidate.is_arithmetic_at(result) for result in self.failed)
        return not (arithmetic and any(candidate.fails_natively_at(result) for result in self.right))


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
    timed = TimedOracle(oracle, clock() + within_s, clock)
    search = Search(tuple(sorted(judged, key=looseness)), reference, tuple(mistakes), timed)
    if not search.failed or any(died(play.observation) for result in judged for play in result.plays):
        return ()
    names = tuple(result.check.name for result in results if result.check.outcome is Outcome.FAILED)
    return tuple(Diagnosis(candidate.names, says(candidate.mistakes), names) for candidate in search.explanations())


def says(mistakes: Sequence[Mistake]) -> str:
    """What the mistakes say to the learner; several are numbered."""
    if len(mistakes) == 1:
        return mistakes[0].says
    return "\n".join(f"{number}. {mistake.says}" for number, mistake in enumerate(mistakes, 1))


def died(observation: Observation) -> bool:
    """Whether there was no answer at all; no mistake that is known goes so far."""
    return observation.error is not None and observation.error.cause is not Cause.RAISED


def looseness(result: Result) -> float:
    """How wide the tolerance of a check is, relative to its numbers: mistakes are told apart where it is narrow."""
    widths = [
        float(np.median(allowed(place) / (np.abs(place.value.values) + 1e-30)))
        for play in result.plays
        for place in play.expectation.places.values()
        if isinstance(place.value, Array) and place.spread is not None and place.spread.size
    ]
    return max(widths, default=1e30)
