"""The search for the known mistakes that explain most of the wrong facts, with the fewest names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import inf
from typing import NamedTuple

from normgrade.diagnosis.deadline import NEVER, Deadline
from normgrade.diagnosis.evidence import Bits, Evidence, Fit
from normgrade.diagnosis.evidence import union as union_of
from normgrade.diagnosis.joint import Joint, Members, Pair

NAME = 0.4  # the cost of a name; an explained check is worth 1
CONFLICT = 0.5  # the cost of a check whose facts all differ from the predictions of the names
DOUBT = 0.1  # the cost of each right fact that a mistake would change by itself
MOST_NAMES = 8
MOST_PLAYS, MOST_AT_ONCE = 300, 40  # of several mistakes together: in all, and at each attempt
ENOUGH = 16  # facts that are wrong and unknown: most wrong sets fail at one of them
AT_A_TIME = 4  # plays: the next ones run while one is examined
TWINS = 0.2  # the fraction of a mistake's facts by which a twin may differ


@dataclass(frozen=True, eq=False)
class Guess:
    """Some mistakes, and how they fit the observation.

    - `conflicts`: facts that they change otherwise than observed. `uncovered`: wrong facts that they do not change.
    - `unknown`: facts that several of them change, and that no play has decided yet.
    - `sure`, `hoped`: their worth if all unknown facts turn out badly, or well.
    """

    members: Members
    conflicts: Bits
    uncovered: Bits
    unknown: Bits
    sure: float
    hoped: float

    @property
    def order(self) -> tuple[float, int, Members]:
        return (-(3 * self.sure + self.hoped) / 4, self.unknown.bit_count(), self.members)

    @property
    def unexplained(self) -> Bits:
        """The facts that are in conflict or uncovered, and those that only a play could decide."""
        return self.conflicts | self.uncovered | self.unknown

    @property
    def undecided(self) -> bool:
        """True if they may explain everything, but some facts are unknown."""
        return bool(self.unknown) and not self.conflicts | self.uncovered

    @property
    def complete(self) -> bool:
        """True if they explain everything."""
        return not self.unexplained


@dataclass
class Clock:
    """The time of a search: its `deadline`, and the `grace` in which the plays of a guess that was found may still be finished."""

    deadline: Deadline = NEVER
    grace: Deadline = NEVER
    stopped: bool = False

    def stops(self) -> bool:
        """Return True if the deadline has passed. From then on, the search is stopped."""
        self.stopped = self.stopped or self.deadline.has_passed()
        return self.stopped


@dataclass(frozen=True, eq=False)
class Search:
    """A search for the best set of mistakes. Mistakes are played together only if their effects overlap.

    A search `in_doubt` takes no mistake to change the same facts among others as by itself: every play is decided by playing it.
    """

    evidence: Evidence
    joint: Joint
    clock: Clock = field(default_factory=Clock)
    in_doubt: bool = False

    @cached_property
    def doubting(self) -> Search:
        """The same search in doubt."""
        return self if self.in_doubt else replace(self, in_doubt=True)

    @property
    def plays(self) -> int:
        """The number of plays of several mistakes together."""
        return len(self.joint.seen)

    @cached_property
    def pool(self) -> list[int]:
        """The mistakes that change any wrong fact."""
        return [number for number, fit in enumerate(self.evidence.fits) if fit.active & self.evidence.wrong]

    @cached_property
    def nothing(self) -> Guess:
        """The guess of no mistake at all."""
        return Guess((), 0, self.evidence.wrong, 0, *self.worth((), 0, self.evidence.wrong, 0))

    @cached_property
    def plays_reached(self) -> list[Bits]:
        """The observed facts of every play."""
        return [play.bits & self.evidence.reached for play in self.evidence.plays]

    @cached_property
    def checks(self) -> list[tuple[Bits, int]]:
        """The observed facts of every failed check, and how many are wrong; all other checks count as one."""
        failed = list(self.evidence.checks.values())
        found = [facts & self.evidence.reached for facts in (*failed, ~union_of(failed))]
        return [(facts, (facts & self.evidence.wrong).bit_count()) for facts in found if facts & self.evidence.wrong]

    def guess(self, members: Members) -> Guess | None:
        """Return the guess of these mistakes as far as plays have decided it; None if the observation contradicts it."""
        fits = [self.evidence.fits[member] for member in members]
        union, over = overlap(fit.active for fit in fits)
        wrong, conflicts = self.evidence.wrong, union_of(fit.contradicted for fit in fits) & ~over
        uncovered, unknown = wrong & ~union, over
        if self.in_doubt:
            unknown |= conflicts | uncovered if len(members) > 1 else 0
        known = 0
        for number, here in enumerate(self.plays_reached) if unknown else ():
            if unknown & here and (played := (self.acting(members, number), number)) in self.joint.seen:
                known |= here
                together = self.joint.fit(*played)
                if together is None:
                    conflicts |= over & here & wrong
                else:
                    conflicts = (conflicts & ~here) | (together.contradicted & here)
                    uncovered = (uncovered & ~here) | (wrong & ~together.active & here)
        unknown &= ~known
        conflicts, uncovered = conflicts & ~unknown, uncovered & ~unknown
        if conflicts & ~wrong and not (self.in_doubt and len(members) > 1):
            return None
        return Guess(members, conflicts, uncovered, unknown, *self.worth(members, conflicts, uncovered, unknown))

    def worth(self, members: Members, conflicts: Bits, uncovered: Bits, unknown: Bits) -> tuple[float, float]:
        sure = hoped = -NAME * len(members)
        sure -= DOUBT * ((unknown | conflicts) & ~self.evidence.wrong).bit_count() if self.in_doubt else 0
        for facts, wrong in self.checks:
            bad, against = ((conflicts | uncovered) & facts).bit_count(), (conflicts & facts).bit_count()
            open_ = (unknown & facts & self.evidence.wrong).bit_count()
            sure += self.credit(wrong, bad + open_, against + open_)
            hoped += self.credit(wrong, bad, against)
        return sure, hoped

    @staticmethod
    def credit(wrong: int, bad: int, against: int) -> float:
        """Return the score of a check, given how many of its facts are wrong, unexplained and contradicted."""
        if not bad:
            return 1.0
        return 0.5 * max(wrong - bad, 0) / wrong - CONFLICT * against / wrong

    def acting(self, members: Members, number: int) -> Members:
        """Return the mistakes that are played together in the play of that number."""
        if self.in_doubt:
            return members
        here = self.plays_reached[number]
        return tuple([member for member in members if self.evidence.fits[member].active & here])

    def active(self, guess: Guess) -> Bits:
        """Return the facts that any mistake of a guess changes."""
        return union_of(self.evidence.fits[member].active for member in guess.members)

    def explained(self, guess: Guess) -> Bits:
        """Return the facts that are as the mistakes of a guess predict."""
        return self.active(guess) & ~guess.unexplained

    def deciding_plays(self, guess: Guess) -> list[Pair]:
        """Return the next plays, those of the fewest mistakes first, then the shortest with enough wrong facts.

        A play of few mistakes decides other guesses, too.
        """
        wrong = self.evidence.wrong
        numbers = [number for number, here in enumerate(self.plays_reached) if guess.unknown & here]
        numbers = [number for number in numbers if guess.unknown & self.plays_reached[number] & wrong] or numbers
        pairs = [(self.acting(guess.members, number), number) for number in numbers]

        def promise(pair: Pair) -> tuple[int, int, int, int]:
            members, number = pair
            enough = min((guess.unknown & self.plays_reached[number] & wrong).bit_count(), ENOUGH)
            return len(members), -enough, self.evidence.plays[number].right.size, number

        return sorted(pairs, key=promise)

    def settled(self, members: Members, whole: bool = False) -> Guess | None:
        """Return the guess after its unknown facts were played; None if this contradicts it, or if it must be `whole` and is not."""
        at_a_time = 1 if whole else AT_A_TIME  # most sets are refuted by the first play
        while (guess := self.guess(members)) is not None and guess.unknown and not (whole and guess.conflicts | guess.uncovered):
            if self.clock.stopped and self.clock.grace.has_passed():
                break
            self.joint.play_all(self.deciding_plays(guess)[:at_a_time])
            at_a_time = AT_A_TIME
        return None if guess is None or (whole and not guess.complete) else guess

    def deciding(self, guess: Guess, fact: int) -> Fit | None:
        """Return the fit that decides about a fact: that of the one mistake that changes it, or of the play of several, if made."""
        acting = [member for member in guess.members if self.evidence.fits[member].active >> fact & 1]
        if len(acting) == 1:
            return self.evidence.fits[acting[0]]
        number = next(number for number, here in enumerate(self.plays_reached) if here >> fact & 1)
        played = self.acting(guess.members, number), number
        return self.joint.fit(*played) if played in self.joint.seen else None

    def acting_at(self, number: int) -> list[int]:
        """Return the mistakes that change anything in the play of that number."""
        here = self.plays_reached[number]
        return [member for member in self.pool if self.evidence.fits[member].active & here]

    def distance(self, members: Members, number: int) -> float:
        """Return how far some mistakes are from the observation in one play; infinite if they are too many, or the search has to end."""
        if self.out_of_time() or len(members) > MOST_NAMES:
            return inf
        return self.joint.distance(members, number)

    def ahead(self, pairs: Iterable[Pair], last_play: float = inf) -> None:
        """Play the pairs that are examined next, one right after the other: this takes half as long as one at a time."""
        wanted = (pair for pair in pairs if len(pair[0]) <= MOST_NAMES)
        self.joint.play_all(wanted, lambda: self.plays >= last_play or self.out_of_time())

    def explains(self, members: Members, number: int) -> bool:
        """Return True if these mistakes together explain everything that is wrong in one play."""
        fit, here = self.joint.fit(members, number), self.plays_reached[number]
        return fit is not None and not (fit.contradicted | (self.evidence.wrong & ~fit.active)) & here

    def at_once(self) -> list[Guess]:
        """Return a guess that is found without any play: names are added one by one, the best each time; none if no name adds anything."""
        best = self.nothing
        while True:
            larger = (self.guess(tuple(sorted((*best.members, member)))) for member in self.pool if member not in best.members)
            better = max(filter(None, larger), key=lambda guess: guess.sure, default=best)
            if better.sure <= best.sure:
                return [best] if best.members else []
            best = better

    def with_twins(self, found: list[Guess]) -> list[Guess]:
        """Return the guesses, and complete ones in which a twin replaces one mistake: another that changes nearly the same facts."""
        others = set[Members]()
        for members in (guess.members for guess in found):
            for member, twin in product(members, self.pool):
                if twin not in members and self.are_twins(member, twin):
                    others.add(tuple(sorted({*members, twin} - {member})))
        more = [self.settled(members, whole=True) for members in sorted(others - {guess.members for guess in found})]
        return [*found, *(guess for guess in more if guess is not None)]

    def are_twins(self, one: int, other: int) -> bool:
        """Return True if two mistakes change nearly the same facts."""
        ours, theirs = (self.evidence.fits[member].active for member in (one, other))
        return (ours ^ theirs).bit_count() <= TWINS * ours.bit_count()

    def out_of_time(self) -> bool:
        """Return True if the search has to end: it was stopped, or it has played enough."""
        return self.clock.stops() or self.plays > MOST_PLAYS


class Best(NamedTuple):
    """The best guesses up to now, and the search that weighs them: in doubt if they were found by playing everything."""

    search: Search
    guesses: list[Guess]


def overlap(sets: Iterable[Bits]) -> tuple[Bits, Bits]:
    """Return the facts that are in any of these sets, and those that are in more than one."""
    once = twice = 0
    for bits in sets:
        twice |= once & bits
        once |= bits
    return once, twice
