"""Which known mistakes explain most of the failed checks, with the fewest names."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from normgrade.compare.evidence import Bits, Evidence, Part, facts_in
from normgrade.compare.joint import Joint, Members

NAME = 0.5  # what a name costs, in explained checks
MOST_NAMES = 8
MOST_PLAYS = 400  # of several mistakes together


@dataclass(frozen=True, eq=False)
class Guess:
    """Some mistakes, and what they leave unexplained: facts that are surely `bad`, and those that are `unknown` without more plays."""

    members: Members
    bad: Bits
    unknown: Bits
    explained: int  # failed checks, surely
    possible: int  # failed checks, at best

    @property
    def worth(self) -> float:
        """The number of checks that it explains at best, less what its names cost."""
        return self.possible - NAME * len(self.members)

    @property
    def order(self) -> tuple[float, int, int, Members]:
        return (-self.worth, len(self.members), self.unknown.bit_count(), self.members)


@dataclass
class Search:
    """Looks for the best set of mistakes, the most promising first. What mistakes do together is played only where their effects overlap."""

    evidence: Evidence
    joint: Joint
    in_time: Callable[[], bool] = lambda: True
    plays: int = 0
    popped: int = 0

    @cached_property
    def pool(self) -> list[int]:
        """The mistakes that change anything that is wrong."""
        return [number for number, part in enumerate(self.evidence.parts) if part.active & self.evidence.wrong]

    def at_a_glance(self, members: Members) -> Guess | None:
        """What is known without any play; None where what was observed contradicts it."""
        union = over = contradicted = 0
        for member in members:
            part = self.evidence.parts[member]
            over |= union & part.active
            union |= part.active
            contradicted |= part.contradicted
        bad = (self.evidence.wrong & ~union) | (contradicted & ~over)
        return None if bad & ~self.evidence.wrong else self.guess(members, bad, over)

    def guess(self, members: Members, bad: Bits, unknown: Bits) -> Guess:
        unsure = bad | unknown
        explained = sum(not unsure & facts for facts in self.evidence.checks.values())
        possible = sum(not bad & facts for facts in self.evidence.checks.values())
        return Guess(members, bad, unknown, explained, possible)

    def in_depth(self, members: Members) -> Guess | None:
        """What is known by the plays so far."""
        found = self.at_a_glance(members)
        if found is None or not found.unknown:
            return found
        bad, unknown = found.bad, found.unknown
        for number, play in enumerate(self.evidence.plays):
            here = play.bits & self.evidence.reached
            if unknown & here:
                acting = self.acting(members, play.bits)
                if (acting, number) in self.joint.played:
                    part = self.joint.played[acting, number]
                    if part is None:
                        bad |= unknown & here & self.evidence.wrong
                    else:
                        bad = (bad & ~here) | (((self.evidence.wrong & ~part.active) | part.contradicted) & here)
                    unknown &= ~here
        return None if bad & ~self.evidence.wrong else self.guess(members, bad, unknown)

    def acting(self, members: Members, facts: Bits) -> Members:
        return tuple(member for member in members if self.evidence.parts[member].active & facts)

    def play_one(self, guess: Guess) -> None:
        """Play the mistakes together where most is unknown."""
        wrong = self.evidence.wrong
        open_plays = [
            ((guess.unknown & play.bits & wrong).bit_count(), -number) for number, play in enumerate(self.evidence.plays) if guess.unknown & play.bits
        ]
        number = -max(open_plays)[1]
        acting = self.acting(guess.members, self.evidence.plays[number].bits)
        self.joint.part(acting, number)
        self.plays += 1

    def best(self) -> list[Guess]:
        """The best guesses: one, or several that explain as much with as few names."""
        queue: list[tuple[tuple[float, int, int, Members], Guess]] = []
        seen: set[Members] = set()

        def push(members: Members, least: float) -> None:
            if members in seen or len(members) > MOST_NAMES:
                return
            seen.add(members)
            guess = self.in_depth(members)
            if guess is not None and guess.worth > least:
                heapq.heappush(queue, (guess.order, guess))

        for size in (1, 2):
            for members in combinations(self.pool, size):
                push(members, 0.0)
        found: list[Guess] = []
        best = 0.0
        while queue and self.in_time() and self.plays < MOST_PLAYS:
            _order, guess = heapq.heappop(queue)
            self.popped += 1
            if found and guess.worth < best:
                break
            if guess.unknown:
                self.play_one(guess)
                again = self.in_depth(guess.members)
                if again is not None and again.worth > 0:
                    heapq.heappush(queue, (again.order, again))
                continue
            if guess.worth > best:
                best, found = guess.worth, []
            found.append(guess)
            if guess.possible < len(self.evidence.checks):
                for member in self.pool:
                    if member not in guess.members:
                        push(tuple(sorted((*guess.members, member))), guess.worth)
        return found
