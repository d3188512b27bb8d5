"""The forecasts of every known mistake in every play of a suite, ready to be compared with any submission."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from normgrade.diagnosis.agreement import Forecast, Reference, forecast
from normgrade.diagnosis.effects import Effects, Layout, Plays


@dataclass(frozen=True, eq=False)
class Foretold:
    """The forecast of one mistake: its facts that are numbers, and the indices of these numbers among those of all plays."""

    facts: np.ndarray
    seen: np.ndarray
    forecast: Forecast


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The effects of all mistakes of an exercise, and the forecast of each."""

    effects: Effects
    each: tuple[Foretold, ...]


def forecasts_of(effects: Effects, plays: Plays) -> Forecasts:
    """Return the forecasts from these effects in these plays. Each is made by itself, to stay in the processor's cache."""
    reference = reference_of(plays, effects.layout)
    with np.errstate(all="ignore"):
        return Forecasts(effects, tuple(foretold(effects, reference)))


def foretold(effects: Effects, reference: Reference) -> Iterator[Foretold]:
    for facts in effects.slices(effects.owner):
        first, end = facts.start, facts.stop
        numbers = slice(effects.starts[first], effects.starts[end])
        starts, exact, native = effects.starts[facts] - effects.starts[first], effects.exact[numbers], effects.native[numbers]
        columns = np.repeat(effects.column[facts] - starts, np.diff(effects.starts[first : end + 1]))
        seen = (columns + np.arange(len(exact))).astype(np.int32)
        yield Foretold(effects.place[facts], seen, forecast(starts, exact, native, reference[seen], effects.unstable[facts]))


def reference_of(plays: Plays, layout: Layout) -> Reference:
    """Return the reference's numbers in all plays of the layout; NaN if a play is missing or does not fit the layout."""
    found = Reference(*(np.full(sum(layout.numbers), np.nan) for _ in range(4)))
    for key, play in plays:
        right = play.right
        if layout.fits(key, right):
            here = slice(layout.first_number[key], layout.first_number[key] + len(right.numbers))
            found.numbers[here], found.allowed[here] = right.numbers, right.allowed
            found.units[here], found.factors[here] = right.units, right.factors
    return found
