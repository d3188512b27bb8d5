"""How the mistakes are looked for: in one way after the other, until one explains everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from normgrade.compare.approach import approached, mended
from normgrade.compare.joint import Members
from normgrade.compare.search import Guess, Search
from normgrade.compare.sets import changing_sets, complete_sets

Way = Callable[[list[Guess]], list[Guess]]  # from the best guesses up to now to better ones, or the same


def best(search: Search, seed: Members = ()) -> list[Guess]:
    """The best guesses: one, or several that explain as much with as few names.

    The `seed` is looked at first: mistakes that are suspected together. At first, what each mistake changes alone is taken for what it
    changes among others, where their effects do not overlap. Where that does not explain everything, every play that they do not explain
    is in doubt, and they are played in it together: first pairs and triples, of which one mistake may change what the others do.
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
    """The guess of the mistakes that are suspected together, if it is worth anything; if another in the place of one explains all, that."""
    members = tuple(member for member in seed if member in search.pool)
    if not members:
        return found
    search.doubting = True
    guess = search.settled(members)
    complete = [] if guess is None else [each for each in search.with_twins([guess]) if each.complete]
    search.doubting = bool(complete)
    return complete or (found if guess is None or guess.sure <= search.nothing.sure else [guess])
