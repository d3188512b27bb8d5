"""The ways to search for mistakes, tried one after the other until one explains everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from normgrade.diagnosis.approach import approached, mended
from normgrade.diagnosis.joint import Members
from normgrade.diagnosis.search import Guess, Search
from normgrade.diagnosis.sets import changing_sets, complete_sets

Way = Callable[[list[Guess]], list[Guess]]  # takes the best guesses up to now, and returns better ones, or the same


def best(search: Search, seed: Members = ()) -> list[Guess]:
    """Return the best guesses: one, or several that explain as much with as few names.

    The `seed`, mistakes that are suspected together, is examined first. Then each mistake is taken to change the same facts among others as
    by itself, unless their effects overlap. If this does not explain everything, every unexplained play is in doubt, and mistakes are
    played in it together: first pairs and triples, in which one mistake may change the effects of the others.
    """
    ways: tuple[Way, ...] = (
        partial(seeded, search, seed),
        *(partial(complete_sets, search, size) for size in (1, 2, 3)),
        search.search,
        *(partial(changing_sets, search, size) for size in (2, 3)),
        search.doubt,
        partial(approached, search),
        partial(mended, search),
    )
    found: list[Guess] = []
    for way in ways:
        if search.out_of_time():
            break
        found = way(found)
        if complete := [guess for guess in found if guess.complete]:
            return search.without_idle(search.with_twins(complete) if len(complete[0].members) > 3 else complete)
    return found


def seeded(search: Search, seed: Members, found: list[Guess]) -> list[Guess]:
    """Return the guess of the suspects and its variants with a twin, if complete; else the guess if it is worth anything; else `found`."""
    members = tuple(member for member in seed if member in search.pool)
    if not members:
        return found
    search.doubting = True
    guess = search.settled(members)
    complete = [] if guess is None else [each for each in search.with_twins([guess]) if each.complete]
    search.doubting = bool(complete)
    return complete or (found if guess is None or guess.sure <= search.nothing.sure else [guess])
