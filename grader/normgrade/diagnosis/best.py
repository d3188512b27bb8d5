"""The ways to search for mistakes, tried one after the other until one explains everything."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import partial
from itertools import chain, combinations, product

from normgrade.diagnosis.approach import approached, mended
from normgrade.diagnosis.joint import Members
from normgrade.diagnosis.search import MOST_AT_ONCE, MOST_NAMES, Best, Guess, Search
from normgrade.diagnosis.sets import changing_pairs, complete_sets

MOST_GUESSES = 20_000  # that one attempt weighs
Way = Callable[[Best], Best]


def best(search: Search, seed: Members = ()) -> Best:
    """Return the best guesses: one, or several that explain as much with as few names.

    The `seed`, mistakes that are suspected together, is examined first. Then each mistake is taken to change the same facts among others as
    by itself, unless their effects overlap. If this does not explain everything, every unexplained play is in doubt, and mistakes are
    played in it together: first pairs, in which one mistake may change the effects of the other.
    """
    ways: tuple[Way, ...] = (
        partial(seeded, seed),
        *(partial(complete_sets, size) for size in (1, 2, 3)),
        by_worth,
        changing_pairs,
        approached,
        mended,
    )
    now = Best(search, [])
    for way in ways:
        if search.out_of_time():
            break
        now = way(now)
        if complete := [guess for guess in now.guesses if guess.complete]:
            return Best(now.search, now.search.with_twins(complete) if len(complete[0].members) > 3 else complete)
    return now


def seeded(seed: Members, now: Best) -> Best:
    """Return the guess of the suspects and its variants with a twin, if complete; else the guess if it is worth anything; else `now`."""
    search = now.search.doubting
    members = tuple(member for member in seed if member in search.pool)
    guess = search.settled(members) if members else None
    if guess is None:
        return now
    if complete := [each for each in search.with_twins([guess]) if each.complete]:
        return Best(search, complete)
    return now if guess.sure <= search.nothing.sure else Best(now.search, [guess])


def by_worth(now: Best) -> Best:
    """Return guesses that are worth more than the best up to now, or as much; the most promising are examined first."""
    search, found = now
    queue: list[tuple[tuple[float, int, Members], Guess]] = []
    seen: set[Members] = set()
    best, last_play = found[0].sure if found else search.nothing.sure, search.plays + MOST_AT_ONCE

    def push(members: Members) -> None:
        if members not in seen and len(members) <= MOST_NAMES:
            seen.add(members)
            guess = search.guess(members)
            if guess is not None and guess.hoped > best:
                heapq.heappush(queue, (guess.order, guess))

    for members in chain(*(combinations(search.pool, size) for size in (1, 2))):
        push(members)
    for each, member in product(found, search.pool):
        push(tuple(sorted({*each.members, member})))
    while queue and search.plays < last_play and len(seen) < MOST_GUESSES:
        if search.out_of_time():
            break
        order, old = heapq.heappop(queue)
        guess = search.guess(old.members)  # other plays may have decided more of it meanwhile
        if guess is None or guess.hoped < best:
            continue
        if guess.order > order:
            heapq.heappush(queue, (guess.order, guess))
            continue
        if guess.unknown:
            search.joint.play_all(search.deciding_plays(guess)[:1])
            heapq.heappush(queue, (guess.order, guess))
            continue
        if guess.sure > best:
            best, found = guess.sure, []
        if guess.sure == best:
            found.append(guess)
        if not guess.complete:
            for member in search.pool:
                if member not in guess.members:
                    push(tuple(sorted((*guess.members, member))))
    return Best(search, found)
