"""Which known mistakes explain most of what is wrong, with the fewest names."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from normgrade.compare.evidence import Bits, Evidence, Part, union
from normgrade.compare.joint import Joint, Members

NAME = 0.4  # what a name costs; an explained check is worth 1
CONFLICT = 0.5  # what a check costs whose facts are all other than the names predict
MOST_NAMES = 8
MOST_PLAYS = 300  # of several mistakes together


@dataclass(frozen=True, eq=False)
class Guess:
    """Some mistakes, and how they fit what was observed.

    - `conflicts`: facts that they change, but not to what was observed. `uncovered`: wrong facts that they do not change.
    - `unknown`: facts that several of them change, and that no play has decided yet.
    - `sure`, `hoped`: what they are worth if all that is unknown turns out badly, or well.
    """

    members: Members
    conflicts: Bits
    uncovered: Bits
    unknown: Bits
    sure: float
    hoped: float

    @property
    def order(self) -> tuple[float, int, Members]:
        return (-(self.sure + self.hoped) / 2, len(self.members), self.members)

    @property
    def unexplained(self) -> Bits:
        """The facts that were observed otherwise, and those that only a play could tell."""
        return self.conflicts | self.uncovered | self.unknown

    @property
    def complete(self) -> bool:
        """Whether they explain everything."""
        return not self.unexplained


@dataclass
class Search:
    """Looks for the best set of mistakes, the most promising first. What they do together is played only where their effects overlap."""

    evidence: Evidence
    joint: Joint
    in_time: Callable[[], bool] = lambda: True
    plays: int = 0
    stopped: bool = False

    @cached_property
    def pool(self) -> list[int]:
        """The mistakes that change anything that is wrong."""
        return [number for number, part in enumerate(self.evidence.parts) if part.active & self.evidence.wrong]

    @cached_property
    def nothing(self) -> Guess:
        """The guess of no mistake at all."""
        return Guess((), 0, self.evidence.wrong, 0, *self.worth((), 0, self.evidence.wrong, 0))

    @cached_property
    def checks(self) -> list[tuple[Bits, int]]:
        """The facts of every failed check that were observed, and how many are wrong."""
        found = [facts & self.evidence.reached for facts in self.evidence.checks.values()]
        return [(facts, (facts & self.evidence.wrong).bit_count()) for facts in found if facts & self.evidence.wrong]

    def guess(self, members: Members) -> Guess | None:
        """What is known by the plays so far; None where what was observed contradicts it."""
        union = over = contradicted = 0
        for member in members:
            part = self.evidence.parts[member]
            over |= union & part.active
            union |= part.active
            contradicted |= part.contradicted
        wrong, conflicts = self.evidence.wrong, contradicted & ~over
        if conflicts & ~wrong:
            return None
        uncovered, unknown = wrong & ~union, over
        if over:
            for number, play in enumerate(self.evidence.plays):
                here = play.bits & self.evidence.reached
                if not over & here:
                    continue
                acting = self.acting(members, here)
                if (acting, number) not in self.joint.played:
                    continue
                together = self.joint.played[acting, number]
                if together is None:
                    conflicts |= over & here & wrong
                else:
                    conflicts = (conflicts & ~here) | (together.contradicted & here)
                    uncovered = (uncovered & ~here) | (wrong & ~together.active & here)
                unknown &= ~here
            if conflicts & ~wrong:
                return None
        return Guess(members, conflicts, uncovered, unknown, *self.worth(members, conflicts, uncovered, unknown))

    def worth(self, members: Members, conflicts: Bits, uncovered: Bits, unknown: Bits) -> tuple[float, float]:
        sure = hoped = -NAME * len(members)
        for facts, wrong in self.checks:
            bad, against = ((conflicts | uncovered) & facts).bit_count(), (conflicts & facts).bit_count()
            open_ = (unknown & facts & self.evidence.wrong).bit_count()
            sure += self.credit(wrong, bad + open_, against + open_)
            hoped += self.credit(wrong, bad, against)
        return sure, hoped

    @staticmethod
    def credit(wrong: int, bad: int, against: int) -> float:
        """What a check is worth of which so many facts are wrong, not explained, and predicted to be otherwise."""
        if not bad:
            return 1.0
        return 0.5 * max(wrong - bad, 0) / wrong - CONFLICT * against / wrong

    def acting(self, members: Members, facts: Bits) -> Members:
        return tuple(member for member in members if self.evidence.parts[member].active & facts)

    def active(self, guess: Guess) -> Bits:
        """The facts that any of its mistakes changes."""
        return union(self.evidence.parts[member].active for member in guess.members)

    def play_one(self, guess: Guess) -> None:
        """Play the mistakes together where most is unknown."""
        plays = self.evidence.plays
        numbers = [number for number, play in enumerate(plays) if guess.unknown & play.bits]
        number = max(numbers, key=lambda each: ((guess.unknown & plays[each].bits & self.evidence.wrong).bit_count(), -each))
        self.joint.part(self.acting(guess.members, plays[number].bits & self.evidence.reached), number)
        self.plays += 1

    def settled(self, members: Members) -> Guess | None:
        """The guess, once all that it leaves unknown was played; None where that contradicts it."""
        while (guess := self.guess(members)) is not None and guess.unknown:
            self.play_one(guess)
        return guess

    def deciding(self, guess: Guess, fact: int) -> Part | None:
        """What decides about a fact: the one mistake that changes it, or the play of several."""
        acting = [member for member in guess.members if self.evidence.parts[member].active >> fact & 1]
        if len(acting) == 1:
            return self.evidence.parts[acting[0]]
        number = next(number for number, play in enumerate(self.evidence.plays) if play.bits >> fact & 1)
        return self.joint.played.get((self.acting(guess.members, self.evidence.plays[number].bits & self.evidence.reached), number))

    def best(self) -> list[Guess]:
        """The best guesses: one, or several that explain as much with as few names."""
        queue: list[tuple[tuple[float, int, Members], Guess]] = []
        seen: set[Members] = set()
        best, found = self.nothing.sure, list[Guess]()

        def push(members: Members) -> None:
            if members in seen or len(members) > MOST_NAMES:
                return
            seen.add(members)
            guess = self.guess(members)
            if guess is not None and guess.hoped > best:
                heapq.heappush(queue, (guess.order, guess))

        for size in (1, 2):
            for members in combinations(self.pool, size):
                push(members)
        while queue and self.plays < MOST_PLAYS:
            if not self.in_time():
                self.stopped = True
                break
            _order, guess = heapq.heappop(queue)
            if guess.hoped < best:
                if found and found[0].complete:
                    break
                continue
            if guess.unknown:
                self.play_one(guess)
                again = self.guess(guess.members)
                if again is not None and again.hoped >= best:
                    heapq.heappush(queue, (again.order, again))
                continue
            if guess.sure > best:
                best, found = guess.sure, []
            if guess.sure == best:
                found.append(guess)
            if not guess.complete:
                for member in self.pool:
                    if member not in guess.members:
                        push(tuple(sorted((*guess.members, member))))
        return found
