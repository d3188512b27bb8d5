"""The agreement of the observed numbers with those that a mistake predicts, for many facts at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGINAL = 8.0  # a fact that unstable arithmetic gets wrong by less than this many times the allowed error may be right by chance
COMPARABLE = 16.0  # the factor between the errors of two unstable results that still agree
COMPARABLE_HALF = 4.0  # the same factor in half precision, in which arithmetic differs less
CAPPED = 1e6  # times the allowed error: anything further off counts as infinity
KEPT = 2.0**-24  # the rounding of a mistake's differences, which are kept in float32
FAR = 0.5  # native and exact numbers that are apart by more than this fraction are undetermined


@dataclass(frozen=True, eq=False)
class Reference:
    """The reference's numbers, how far each may be off, its unit roundoff, and how many such roundings are always allowed."""

    numbers: np.ndarray
    allowed: np.ndarray
    units: np.ndarray
    factors: np.ndarray

    def __getitem__(self, here: np.ndarray) -> Reference:
        return Reference(self.numbers[here], self.allowed[here], self.units[here], self.factors[here])


@dataclass(frozen=True, eq=False)
class Rough:
    """The facts of a forecast at which only the mistake's arithmetic is wrong.

    `here` has the indices of their numbers in the forecast, `starts` the index in `here` at which each fact begins, and `allowed` how far
    each number may be off. `half` marks facts in half precision. `severity` is how many times the allowed error the mistake is off
    natively, and `broken` marks facts of which any number is not finite.
    """

    here: np.ndarray
    starts: np.ndarray
    allowed: np.ndarray
    half: np.ndarray
    severity: np.ndarray
    broken: np.ndarray


@dataclass(frozen=True, eq=False)
class Forecast:
    """The numbers that a mistake predicts for some facts, one fact after the other, as differences from the reference's.

    - `starts`: the index at which each fact begins.
    - `exact`, `native`: the mistake's numbers, in float64 and natively.
    - `permitted`: how far an observation may be from either. `moved`: the root mean square of their movement by rounding, per fact.
    - `settled`: marks numbers that determine the observation. `telling`: marks settled ones that tell the mistake from the reference.
    - `blurred`: marks numbers that leave the observation undetermined. `endless`: marks numbers that are not finite natively.
    - `unstable`: marks the facts at which the mistake is right in float64; `rough` has their details.
    """

    starts: np.ndarray
    exact: np.ndarray
    native: np.ndarray
    permitted: np.ndarray
    moved: np.ndarray
    settled: np.ndarray
    telling: np.ndarray
    blurred: np.ndarray
    endless: np.ndarray
    unstable: np.ndarray
    rough: Rough


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of an observation with a mistake, one entry for each fact.

    - `agrees`: true if nothing contradicts the mistake.
    - `witnessed`: how many numbers fit this mistake, but not the reference.
    - `opened`: how many numbers the mistake leaves undetermined, so that anything agrees with them.
    - `misfit`: for unstable arithmetic, the logarithm of the factor between the errors; else 0.
    """

    agrees: np.ndarray
    witnessed: np.ndarray
    opened: np.ndarray
    misfit: np.ndarray


def forecast(
    starts: np.ndarray,
    exact: np.ndarray,
    native: np.ndarray,
    reference: Reference,
    unstable: np.ndarray,
    moved: np.ndarray | None = None,
) -> Forecast:
    """Return the forecast of a mistake, before anything is observed. `moved` is the least movement by rounding, if it is known."""
    off, natively = exact.astype(np.float64), native.astype(np.float64)
    found = root_mean_square(natively - off, starts)
    moved = found if moved is None else np.maximum(found, moved)
    scale = reference.units * np.maximum(np.abs(reference.numbers + off), np.abs(reference.numbers + natively))
    size, endless = np.abs(off), ~np.isfinite(natively)
    permitted = reference.allowed + reference.factors * (np.repeat(moved, sizes(starts, len(off))) + scale) + KEPT * size
    finite = np.isfinite(off) & ~endless & np.isfinite(permitted)
    settled = finite & (np.abs(natively - off) <= FAR * np.maximum(size, np.abs(natively)) + reference.allowed)
    telling = settled & (size > permitted)
    blurred = ~settled | ((size <= permitted) & (size > reference.allowed))
    rough = rough_facts(starts, natively, reference, unstable)
    return Forecast(starts, exact, native, permitted, moved, settled, telling, blurred, endless, unstable, rough)


def rough_facts(starts: np.ndarray, native: np.ndarray, reference: Reference, unstable: np.ndarray) -> Rough:
    """Return the unstable facts, with everything that is known beforehand."""
    counts = sizes(starts, len(native))
    here = np.flatnonzero(np.repeat(unstable, counts))
    firsts, off, few = starts_of(counts[unstable]), native[here], reference[here]
    broken = np.logical_or.reduceat(~np.isfinite(off), firsts) if len(firsts) else np.zeros(0, bool)
    half = few.units[firsts] > 2.0**-24
    return Rough(here, firsts, few.allowed, half, severity(off, few.allowed, firsts), broken)


def agreement(mistake: Forecast, got: np.ndarray, out: np.ndarray) -> Agreement:
    """Compare all facts with the observation: `got` are differences from the reference's numbers; `out` marks those off by too much."""
    if not len(mistake.starts):
        nothing = np.zeros(0)
        return Agreement(nothing.astype(bool), nothing.astype(int), nothing.astype(int), nothing)
    near = (np.abs(got - mistake.exact) <= mistake.permitted) | (np.abs(got - mistake.native) <= mistake.permitted)
    broken_alike = mistake.endless & ~np.isfinite(got)
    tells = (mistake.telling & near & out) | broken_alike
    opened = mistake.blurred & ~broken_alike
    agrees = np.logical_and.reduceat(near | ~mistake.settled, mistake.starts)
    witnessed, left_open = (np.add.reduceat(each.astype(np.int64), mistake.starts) for each in (tells, opened))
    misfit = np.zeros(len(agrees))
    if len((rough := mistake.rough).starts):
        unstable, off = mistake.unstable, np.logical_or.reduceat(out[rough.here], rough.starts)
        alike, misfit[unstable] = of_arithmetic(rough, got[rough.here], off)
        agrees[unstable], witnessed[unstable], left_open[unstable] = alike, alike & off, 0
    return Agreement(agrees, witnessed, left_open, misfit)


def of_arithmetic(rough: Rough, got: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which facts were observed about as far off as the mistake is natively, and the logarithm of the factor between the two."""
    misfit = np.abs(np.log(severity(got, rough.allowed, rough.starts) / rough.severity))
    near = misfit <= np.log(np.where(rough.half, COMPARABLE_HALF, COMPARABLE))
    broken = np.logical_or.reduceat(~np.isfinite(got), rough.starts)
    by_chance = (rough.severity <= MARGINAL) & near
    alike = (off & near & (~rough.half | (rough.broken == broken))) | (off & ~rough.half & (rough.severity >= CAPPED))
    return by_chance | alike, misfit


def severity(off: np.ndarray, allowed: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return how many times the allowed error each fact is off, as a root mean square; at least a thousandth."""
    times = np.abs(off) / np.maximum(allowed, 1e-300)
    times = np.where(np.isfinite(times), np.minimum(times, CAPPED), CAPPED)
    found: np.ndarray = np.maximum(root_mean_square(times, starts), 1e-3)
    return found


def root_mean_square(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the root mean square of the finite values of each fact; 0 if it has none."""
    if not len(starts):
        return np.zeros(0)
    finite = np.isfinite(values)
    squares = np.add.reduceat(np.where(finite, values, 0.0) ** 2, starts)
    found: np.ndarray = np.sqrt(squares / np.maximum(np.add.reduceat(finite.astype(np.int64), starts), 1))
    return found


def sizes(starts: np.ndarray, total: int) -> np.ndarray:
    """Return how many numbers each fact has."""
    return np.diff(np.append(starts, total))


def starts_of(sizes: np.ndarray) -> np.ndarray:
    """Return the index at which each fact begins, one after the other."""
    return np.cumsum([0, *sizes[:-1]]) if len(sizes) else np.zeros(0, np.int64)
