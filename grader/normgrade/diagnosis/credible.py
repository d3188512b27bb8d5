"""The credible names of a guess, which have evidence of their own: an unknown mistake may look like several known ones."""

from __future__ import annotations

from dataclasses import dataclass

from normgrade.compare.facts import SILENT
from normgrade.diagnosis.evidence import Bits, facts_in
from normgrade.diagnosis.search import Guess, Search

AGAINST = 3  # facts that speak against a name, for each that speaks for it
WORDS = 10  # facts that speak for a name with no other evidence than words, for each against it
SHOWN = 0.1  # of the failed checks that a name changes, the fraction that must be explained if any fact speaks against it
PLAYS_ASKED = 8  # plays that speak against a name, each made with it and without it
BESIDE = 4  # facts against a name, for each wrong fact that no name changes: an unknown mistake may be the cause


@dataclass(frozen=True)
class Support:
    """The facts that one name of a guess changes, for it and against it. `weak` ones are words; `unstable` ones are unstable numbers."""

    strong: Bits
    weak: Bits
    unstable: Bits
    against: Bits

    @property
    def all(self) -> Bits:
        return self.strong | self.weak | self.unstable


def credible(guess: Guess, search: Search) -> Guess:
    """Return the guess without the names that have too little evidence of their own, and without those that change nothing."""
    if guess.complete:
        return needed(guess, search)
    while guess.members and not guess.complete:
        doubts = {member: doubt for member in guess.members if (doubt := doubt_of(guess, search, member))}
        if not doubts:
            break
        worst = max(doubts, key=lambda member: (doubts[member], member))
        rest = search.settled(tuple(member for member in guess.members if member != worst))
        if rest is None:
            break
        guess = rest
    return guess


def needed(guess: Guess, search: Search) -> Guess:
    """Return a guess that explains everything, without the names that change nothing beside the others."""
    for member in guess.members if len(guess.members) > 1 else ():
        rest = search.settled(tuple(other for other in guess.members if other != member), whole=True)
        if rest is not None and rest.members:
            return needed(rest, search)
    return guess


def doubt_of(guess: Guess, search: Search, member: int) -> float:
    """Return how doubtful a name is; 0 if it has evidence of its own.

    Words that unexplained facts have, too, are no such evidence, except for silence: each play shows by itself that it refuses nothing.
    """
    support = support_of(guess, search, member)
    facts = search.evidence
    strong, uncovered = support.strong.bit_count(), guess.uncovered.bit_count()
    against = support.against.bit_count() * blame(guess, search, member, support.against)
    unexplained = guess.uncovered | guess.conflicts
    if not support.all:
        return float("inf")
    if not strong:
        if against * WORDS > (support.weak | support.unstable).bit_count():
            return 1000.0 + against
        if support.unstable and facts.kinds(support.unstable) & facts.kinds(unexplained):
            return 1000.0
        if not support.unstable and (facts.words(support.weak) & facts.words(unexplained)) - {SILENT}:
            return 1000.0
        return 0.0
    if against and shown_in(search, guess, member) < SHOWN:
        return 100.0 + against
    if against > AGAINST * strong or against > BESIDE * uncovered:
        return float(against)
    return 0.0


def blame(guess: Guess, search: Search, member: int, against: Bits) -> float:
    """Return for which fraction of the plays against a name it is to blame: without it, they are at least as near to the observation."""
    plays = [number for number, here in enumerate(search.plays_reached) if here & against]
    looked_at = plays[:: max(len(plays) // PLAYS_ASKED, 1)][:PLAYS_ASKED]
    without = tuple(each for each in guess.members if each != member)
    search.joint.play_all((each, number) for number in looked_at for each in (without, guess.members))
    nearer = [search.joint.distance(without, number) <= search.joint.distance(guess.members, number) for number in looked_at]
    return sum(nearer) / max(len(nearer), 1)


def shown_in(search: Search, guess: Guess, member: int) -> float:
    """Return the explained fraction of the failed checks that a mistake changes."""
    active = search.evidence.fits[member].active & search.evidence.wrong
    taken = [facts for facts in search.evidence.checks.values() if facts & active]
    return sum(not facts & guess.unexplained for facts in taken) / max(len(taken), 1)


def support_of(guess: Guess, search: Search, member: int) -> Support:
    """Return the facts for and against one of the names."""
    evidence, active = search.evidence, search.evidence.fits[member].active
    strong = weak = unstable = 0
    for fact in facts_in(active & evidence.wrong & ~guess.conflicts & ~guess.unknown):
        fit = search.deciding(guess, fact)
        if fit is not None and fit.witnessed.get(fact, 0):
            if fit.unstable >> fact & 1:
                unstable |= 1 << fact
            elif evidence.is_word(fact):
                weak |= 1 << fact
            else:
                strong |= 1 << fact
    return Support(strong, weak, unstable, active & guess.conflicts)
