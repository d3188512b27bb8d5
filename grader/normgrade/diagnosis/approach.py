"""The search for many mistakes together: if a few do not explain everything, more are added, each for a play that it explains."""

from __future__ import annotations

from collections.abc import Iterable

from normgrade.diagnosis.joint import Members
from normgrade.diagnosis.search import MOST_AT_ONCE, MOST_NAMES, Best, Guess, Search

MORE = (1, 2)  # mistakes that are added to explain a play
MOST_APPROACHING, BEAM = 160, 4  # plays for coming nearer to the observation, and how many of the nearest sets are followed
PLAYS_ELSEWHERE = 8  # other plays in which a set that explains one play must come nearer, too
MOST_MENDED = 4  # guesses to which mistakes are added
PLAYS_MENDED = 4  # that one more mistake may explain


def approached(now: Best) -> Best:
    """Return the same guesses, or one that comes nearer to the observation play by play: with one more mistake, then with two."""
    search, found = now.search.doubting, now.guesses
    guess, wrong = search.nothing, search.evidence.wrong
    plays = sorted(range(len(search.plays_reached)), key=lambda each: (len(search.acting_at(each)), each))
    plays = [number for number in plays if search.plays_reached[number] & wrong]
    elsewhere = plays[:: max(len(plays) // PLAYS_ELSEWHERE, 1)]
    for most_added in MORE:
        last_play = search.plays + MOST_APPROACHING // len(MORE)
        for number in plays:
            if search.plays >= last_play or search.out_of_time():
                break
            if search.plays_reached[number] & guess.unexplained & wrong and not search.explains(guess.members, number):
                sets = (guess.members, *nearer(search, guess.members, number, most_added))
                search.ahead((members, each) for members in sets for each in (number, *elsewhere))
                nearest = min(sets, key=lambda members: (apart(search, members, [number, *elsewhere]), members))
                guess = search.guess(nearest) or guess
    settled = search.settled(guess.members)
    better = settled is not None and settled.sure > max(each.sure for each in found or [search.nothing])
    return Best(search, [settled] if settled is not None and better else found)


def apart(search: Search, members: Members, numbers: Iterable[int]) -> float:
    """Return how far some mistakes are from the observation in some plays."""
    return sum(search.distance(members, number) for number in numbers)


def nearer(search: Search, members: Members, number: int, most_added: int) -> list[Members]:
    """Return the sets of these mistakes and as few more as possible that explain the play of that number."""
    nearest = [members]
    for _ in range(most_added):
        sets = {tuple(sorted((*few, member))) for few in nearest for member in search.acting_at(number) if member not in few}
        search.ahead((few, number) for few in sorted(sets))
        ranked = sorted(sets, key=lambda few: (search.distance(few, number), few))[:BEAM]
        if explaining := [few for few in ranked if search.explains(few, number)]:
            return explaining
        nearest = ranked
    return []


def mended(now: Best) -> Best:
    """Return the same guesses, or a better one with more mistakes, each of which explains one of the plays that are left."""
    search, found = now.search.doubting, now.guesses
    best, last_play = list(found), search.plays + MOST_AT_ONCE
    for each in found[:MOST_MENDED]:
        guess = search.settled(each.members) or each
        best = [guess] if guess.sure > max(other.sure for other in best) else best
        while (more := larger(search, guess, last_play)) is not None:
            guess = more
            best = [guess] if guess.sure > max(each.sure for each in best) else best
    return Best(search, best)


def larger(search: Search, guess: Guess, last_play: int) -> Guess | None:
    """Return the best guess that is worth more with one more mistake, which explains one of the least explained plays; None if none is."""
    wrong = guess.unexplained & search.evidence.wrong
    unexplained = [number for number, here in enumerate(search.plays_reached) if here & wrong]
    unexplained.sort(key=lambda each: (-(search.plays_reached[each] & wrong).bit_count(), each))
    for number in unexplained[:PLAYS_MENDED] if len(guess.members) < MOST_NAMES else ():
        here = search.plays_reached[number] & wrong
        acting = [member for member in search.pool if search.evidence.fits[member].active & here]
        sets = [tuple(sorted((*guess.members, member))) for member in acting if member not in guess.members]
        search.ahead(((members, number) for members in sets), last_play)
        explaining = [each for each in sets if (each, number) in search.joint.seen and search.explains(each, number)]
        settled = [each for members in explaining if not search.out_of_time() and (each := search.settled(members)) is not None]
        best = max(settled, key=lambda each: each.sure, default=guess)
        if best.sure > guess.sure:
            return best
    return None
