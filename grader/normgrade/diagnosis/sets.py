"""Sets of a few mistakes that may explain everything: the most likely ones are played first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from normgrade.diagnosis.evidence import Bits
from normgrade.diagnosis.evidence import union as union_of
from normgrade.diagnosis.joint import Members
from normgrade.diagnosis.search import MOST_AT_ONCE, Best, Guess, Search, overlap

MOST_DOUBTED = 10  # facts that a set may leave unexplained before it is played
MORE_PLAYS = 20  # after an explanation was found, for others that are as good


def complete_sets(size: int, now: Best) -> Best:
    """Return the sets of `size` mistakes that explain everything; those with the least doubt and overlap are examined first."""
    search, otherwise = now
    queue = sorted(promising(search, size))
    found, last_play = list[Guess](), search.plays + MOST_AT_ONCE
    for *_unknown, members in queue:
        while (guess := search.guess(members)) is not None and guess.undecided:
            if search.plays >= last_play or search.out_of_time():
                return Best(search, found or otherwise)
            search.joint.play_all(search.deciding_plays(guess)[:1])
        if guess is not None and guess.complete:
            found.append(guess)
            last_play = min(last_play, search.plays + MORE_PLAYS)
    return Best(search, found or otherwise)


def changing_pairs(now: Best) -> Best:
    """Return the pairs of mistakes that explain everything, although one of them changes the effects of the other."""
    search = now.search.doubting
    found, last_play = list[Guess](), search.plays + MOST_AT_ONCE
    for *_unknown, members in sorted(perhaps_changing(search)):
        if search.plays >= last_play or search.out_of_time():
            break
        if (guess := search.settled(members, whole=True)) is not None:
            found.append(guess)
            last_play = min(last_play, search.plays + MORE_PLAYS)
    return Best(search, found) if found else now


def promising(search: Search, size: int) -> Iterator[tuple[int, int, Members]]:
    """Yield the sets of `size` mistakes that may explain everything, each with how many facts are in doubt, and how many overlap."""
    fits, wrong, most = search.evidence.fits, search.evidence.wrong, MOST_DOUBTED if search.in_doubt else 0
    for members in combinations(search.pool, size - 1):
        once, twice = overlap(fits[member].active for member in members)
        contradicted = union_of(fits[member].contradicted for member in members)
        left = first_facts(wrong & ~once, most + 1)  # if so many are left, the last mistake has to change one of them
        for last in search.pool:
            if (not members or last > members[-1]) and (left.bit_count() <= most or fits[last].active & left):
                fit = fits[last]
                over = twice | (once & fit.active)
                doubted = (wrong & ~(once | fit.active)) | ((contradicted | fit.contradicted) & ~over)
                if not doubted or doubted.bit_count() <= most:
                    yield doubted.bit_count(), over.bit_count(), (*members, last)


def perhaps_changing(search: Search) -> Iterator[tuple[int, int, Members]]:
    """Yield the pairs of mistakes of which at least one is not changed by the other: it explains every play in which only it acts.

    Each comes with the number of plays that no single mistake of the pair explains, and of those in which both act.
    """
    fits, wrong = search.evidence.fits, search.evidence.wrong
    acting = {member: plays_with(search, fits[member].active) for member in search.pool}
    failing = {member: plays_with(search, fits[member].contradicted | (wrong & ~fits[member].active)) for member in search.pool}
    all_wrong = plays_with(search, wrong)
    for one, other in combinations(sorted(search.pool), 2):
        both = acting[one] & acting[other]
        unexplained = [acting[member] & failing[member] & ~both for member in (one, other)]
        if not all_wrong & ~(acting[one] | acting[other]) and not all(unexplained):
            doubted = union_of(unexplained) | (both & all_wrong & failing[one] & failing[other])
            yield doubted.bit_count(), both.bit_count(), (one, other)


def plays_with(search: Search, facts: Bits) -> Bits:
    """Return the plays in which any of these facts was observed, as bits."""
    return sum(1 << number for number, here in enumerate(search.plays_reached) if here & facts)


def first_facts(facts: Bits, most: int) -> Bits:
    """Return at most so many facts of a set, the first ones."""
    rest = facts
    for _ in range(most):
        rest &= rest - 1
    return facts & ~rest
