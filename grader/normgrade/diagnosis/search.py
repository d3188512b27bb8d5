"""The search for the known mistakes that explain most of the wrong facts, with the fewest names."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from math import inf

from normgrade.diagnosis.deadline import NEVER, Deadline
from normgrade.diagnosis.evidence import Bits, Evidence, Part
from normgrade.diagnosis.evidence import union as union_of
from normgrade.diagnosis.joint import Joint, Members, Pair

NAME = 0.4  # the cost of a name; an explained check is worth 1
CONFLICT = 0.5  # the cost of a check whose facts all differ from the predictions of the names
DOUBT = 0.1  # the cost of each right fact that a mistake would change by itself
MOST_NAMES = 8
MOST_PLAYS, MOST_AT_ONCE = 300, 40  # of several mistakes together: in all, and at each attempt
MOST_GUESSES = 20_000  # that one attempt weighs
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
class Search:
    """A search for the best set of mistakes, the most promising first. Mistakes are played together only if their effects overlap."""

    evidence: Evidence
    joint: Joint
    deadline: Deadline = NEVER
    grace: Deadline = NEVER  # until then, the plays of a guess that was found may still be finished
    stopped: bool = False
    doubting: bool = False

    @property
    def plays(self) -> int:
        """The number of plays of several mistakes together."""
        return len(self.joint.seen)

    @cached_property
    def pool(self) -> list[int]:
        """The mistakes that change any wrong fact."""
        return [number for number, part in enumerate(self.evidence.parts) if part.active & self.evidence.wrong]

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
        parts = [self.evidence.parts[member] for member in members]
        union, over = overlap(part.active for part in parts)
        wrong, conflicts = self.evidence.wrong, union_of(part.contradicted for part in parts) & ~over
        uncovered, unknown = wrong & ~union, over
        if self.doubting:
            unknown |= conflicts | uncovered if len(members) > 1 else 0
        known = 0
        for number, here in enumerate(self.plays_reached) if unknown else ():
            if unknown & here and (played := (self.acting(members, number), number)) in self.joint.seen:
                known |= here
                together = self.joint.part(*played)
                if together is None:
                    conflicts |= over & here & wrong
                else:
                    conflicts = (conflicts & ~here) | (together.contradicted & here)
                    uncovered = (uncovered & ~here) | (wrong & ~together.active & here)
        unknown &= ~known
        conflicts, uncovered = conflicts & ~unknown, uncovered & ~unknown
        if conflicts & ~wrong and not (self.doubting and len(members) > 1):
            return None
        return Guess(members, conflicts, uncovered, unknown, *self.worth(members, conflicts, uncovered, unknown))

    def worth(self, members: Members, conflicts: Bits, uncovered: Bits, unknown: Bits) -> tuple[float, float]:
        sure = hoped = -NAME * len(members)
        sure -= DOUBT * ((unknown | conflicts) & ~self.evidence.wrong).bit_count() if self.doubting else 0
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
        if self.doubting:
            return members
        here = self.plays_reached[number]
        return tuple([member for member in members if self.evidence.parts[member].active & here])

    def active(self, guess: Guess) -> Bits:
        """Return the facts that any mistake of a guess changes."""
        return union_of(self.evidence.parts[member].active for member in guess.members)

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
            if self.stopped and self.grace.has_passed():
                break
            self.joint.play(self.deciding_plays(guess)[:at_a_time])
            at_a_time = AT_A_TIME
        return None if guess is None or (whole and not guess.complete) else guess

    def deciding(self, guess: Guess, fact: int) -> Part | None:
        """Return the part that decides about a fact: that of the one mistake that changes it, or of the play of several, if made."""
        acting = [member for member in guess.members if self.evidence.parts[member].active >> fact & 1]
        if len(acting) == 1:
            return self.evidence.parts[acting[0]]
        number = next(number for number, here in enumerate(self.plays_reached) if here >> fact & 1)
        played = self.acting(guess.members, number), number
        return self.joint.part(*played) if played in self.joint.seen else None

    def doubt(self, found: list[Guess]) -> list[Guess]:
        """Return the same guesses. From now on, a mistake may change other facts among other mistakes than it does by itself."""
        self.doubting = True
        return found

    def acting_at(self, number: int) -> list[int]:
        """Return the mistakes that change anything in the play of that number."""
        here = self.plays_reached[number]
        return [member for member in self.pool if self.evidence.parts[member].active & here]

    def distance(self, members: Members, number: int) -> float:
        """Return how far some mistakes are from the observation in one play; infinite if they are too many, or the search has to end."""
        if self.out_of_time() or len(members) > MOST_NAMES:
            return inf
        return self.joint.distance(members, number)

    def ahead(self, pairs: Iterable[Pair], last_play: float = inf) -> None:
        """Play the pairs that are examined next, one right after the other: this takes half as long as one at a time."""
        wanted = (pair for pair in pairs if len(pair[0]) <= MOST_NAMES)
        self.joint.play(wanted, lambda: self.plays >= last_play or self.out_of_time())

    def explains(self, members: Members, number: int) -> bool:
        """Return if these mistakes together explain everything that is wrong in one play."""
        part, here = self.joint.part(members, number), self.plays_reached[number]
        return part is not None and not (part.contradicted | (self.evidence.wrong & ~part.active)) & here

    def at_once(self) -> list[Guess]:
        """Return a guess that is found without any play: names are added one by one, the best each time; none if no name adds anything."""
        best = self.nothing
        while True:
            larger = (self.guess(tuple(sorted((*best.members, member)))) for member in self.pool if member not in best.members)
            better = max(filter(None, larger), key=lambda guess: guess.sure, default=best)
            if better.sure <= best.sure:
                return [best] if best.members else []
            best = better

    def without_idle(self, found: list[Guess]) -> list[Guess]:
        """Return the same guesses, or smaller ones that explain everything, too: two mistakes may look like a third."""
        doubting, self.doubting = self.doubting, True
        smaller = {members for guess in found for members in combinations(guess.members, len(guess.members) - 1) if len(members) > 1}
        smaller = {members for members in smaller if all(self.meet(members, guess.members) for guess in found)}
        complete = [guess for members in sorted(smaller) if (guess := self.settled(members, whole=True)) is not None]
        self.doubting = doubting or bool(complete)
        return self.without_idle(complete) if complete else found

    def meet(self, members: Members, larger: Members) -> bool:
        """Return if the mistakes that `larger` adds share a play with the others."""
        ours, theirs = ([each for each in larger if (each in members) == within] for within in (True, False))
        plays = [union_of(self.evidence.parts[member].active for member in some) for some in (ours, theirs)]
        return not theirs or any(here & plays[0] and here & plays[1] for here in self.plays_reached)

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
        """Return if two mistakes change nearly the same facts."""
        ours, theirs = (self.evidence.parts[member].active for member in (one, other))
        return (ours ^ theirs).bit_count() <= TWINS * ours.bit_count()

    def out_of_time(self) -> bool:
        """Return if the search has to end: it was stopped, or it has played enough."""
        self.stopped = self.stopped or self.deadline.has_passed()
        return self.stopped or self.plays > MOST_PLAYS

    def search(self, found: list[Guess]) -> list[Guess]:
        """Return guesses that are worth more than those that were found, or as much; the most promising are examined first."""
        queue: list[tuple[tuple[float, int, Members], Guess]] = []
        seen: set[Members] = set()
        best, last_play = found[0].sure if found else self.nothing.sure, self.plays + MOST_AT_ONCE

        def push(members: Members) -> None:
            if members not in seen and len(members) <= MOST_NAMES:
                seen.add(members)
                guess = self.guess(members)
                if guess is not None and guess.hoped > best:
                    heapq.heappush(queue, (guess.order, guess))

        for members in chain(*(combinations(self.pool, size) for size in (1, 2))):
            push(members)
        for each, member in product(found, self.pool):
            push(tuple(sorted({*each.members, member})))
        while queue and self.plays < last_play and len(seen) < MOST_GUESSES:
            if self.out_of_time():
                break
            order, old = heapq.heappop(queue)
            guess = self.guess(old.members)  # other plays may have decided more of it meanwhile
            if guess is None or guess.hoped < best:
                continue
            if guess.order > order:
                heapq.heappush(queue, (guess.order, guess))
                continue
            if guess.unknown:
                self.joint.play(self.deciding_plays(guess)[:1])
                heapq.heappush(queue, (guess.order, guess))
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


def overlap(sets: Iterable[Bits]) -> tuple[Bits, Bits]:
    """Return the facts that are in any of these sets, and those that are in more than one."""
    once = twice = 0
    for bits in sets:
        twice |= once & bits
        once |= bits
    return once, twice
