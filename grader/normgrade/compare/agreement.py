"""Whether what was observed is what a mistake leads to: numbers against numbers, many facts at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGINAL = 8.0  # a fact that unstable arithmetic gets wrong by less than this many times what is allowed may be right by chance
COMPARABLE = 16.0  # the factor by which two unstable results may be further from the right one than each other
COMPARABLE_HALF = 4.0  # the same in half precision, where arithmetic differs less
CAPPED = 1e6  # times what is allowed: further off is as far as infinity
FAR = 0.5  # native and exact numbers that are apart by more than this fraction are undetermined


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers of some facts, one fact after the other, each as what it differs by from the reference's.

    `starts` says where each fact begins, `exact` and `native` what a mistake gives, `got` what was observed. `right` are the reference's
    numbers themselves, `allowed` how far they may be off, `units` their rounding and `factors` how many roundings they may be off.
    `unstable` marks facts at which the mistake is right in float64. `moved` is how far rounding moves the mistake's numbers, per fact.
    """

    starts: np.ndarray
    exact: np.ndarray
    native: np.ndarray
    got: np.ndarray
    right: np.ndarray
    allowed: np.ndarray
    units: np.ndarray
    factors: np.ndarray
    unstable: np.ndarray
    moved: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Agreement:
    """One entry for each fact.

    - `agrees`: nothing contradicts the mistake.
    - `witnessed`: how many numbers only this mistake, not the reference, leads to.
    - `opened`: how many numbers the mistake leaves undetermined, so that anything agrees with them.
    - `moved`: the root mean square of what rounding moves the mistake's numbers by.
    - `misfit`: of unstable arithmetic, the logarithm of the factor between the errors; else 0.
    """

    agrees: np.ndarray
    witnessed: np.ndarray
    opened: np.ndarray
    moved: np.ndarray
    misfit: np.ndarray


def agreement(numbers: Numbers) -> Agreement:
    """Compare all facts with what was observed."""
    if not len(numbers.starts):
        nothing = np.zeros(0)
        return Agreement(nothing.astype(bool), nothing.astype(int), nothing.astype(int), nothing, nothing)
    with np.errstate(all="ignore"):
        moved = root_mean_square(numbers.native - numbers.exact, numbers.starts)
        if numbers.moved is not None:
            moved = np.maximum(moved, numbers.moved)
        agrees, witnessed, opened = of_formulas(numbers, moved)
        misfit = np.zeros(len(moved))
        if numbers.unstable.any():
            few = of_facts(numbers, numbers.unstable)
            alike, misfit[numbers.unstable] = of_arithmetic(few)
            agrees[numbers.unstable], witnessed[numbers.unstable], opened[numbers.unstable] = alike, alike & is_out(few), 0
    return Agreement(agrees, witnessed, opened, moved, misfit)


def of_facts(numbers: Numbers, chosen: np.ndarray) -> Numbers:
    """The numbers of some of the facts."""
    sizes = np.diff(np.append(numbers.starts, len(numbers.got)))
    here = np.repeat(chosen, sizes)
    vectors = {name: getattr(numbers, name)[here] for name in ("exact", "native", "got", "right", "allowed", "units", "factors")}
    return Numbers(starts=np.cumsum([0, *sizes[chosen][:-1]]), unstable=numbers.unstable[chosen], **vectors)


def of_formulas(numbers: Numbers, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether all numbers are within what rounding does to the mistake's; how many tell it from the reference, and how many are open."""
    exact, native, got = numbers.exact, numbers.native, numbers.got
    counts = np.diff(np.append(numbers.starts, len(exact)))
    scale = numbers.units * np.maximum(np.abs(numbers.right + exact), np.abs(numbers.right + native))
    permitted = numbers.allowed + numbers.factors * (np.repeat(moved, counts) + scale)
    finite = np.isfinite(exact) & np.isfinite(native) & np.isfinite(permitted)
    settled = finite & (np.abs(native - exact) <= FAR * np.maximum(np.abs(exact), np.abs(native)) + numbers.allowed)
    fits = ~settled | (np.abs(got - exact) <= permitted) | (np.abs(got - native) <= permitted)
    tells = settled & fits & (np.abs(exact) > permitted) & (np.abs(got) > numbers.allowed)
    tells |= ~np.isfinite(native) & ~np.isfinite(got)
    blurred = ~settled | ((np.abs(exact) <= permitted) & (np.abs(exact) > numbers.allowed))
    opened = blurred & ~(~np.isfinite(native) & ~np.isfinite(got))
    told, left_open = (np.add.reduceat(each.astype(np.int64), numbers.starts) for each in (tells, opened))
    return np.logical_and.reduceat(fits, numbers.starts), told, left_open


def of_arithmetic(numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Whether what was observed is off about as far as the mistake is natively, and the logarithm of the factor between the two."""
    ours, theirs = (severity(each, numbers) for each in (numbers.native, numbers.got))
    misfit = np.abs(np.log(theirs / ours))
    half = numbers.units[numbers.starts] > 2.0**-24
    limit = np.log(np.where(half, COMPARABLE_HALF, COMPARABLE))
    by_chance = (ours <= MARGINAL) & (misfit <= limit)
    broken = [np.logical_or.reduceat(~np.isfinite(each), numbers.starts) for each in (numbers.native, numbers.got)]
    alike = (is_out(numbers) & (misfit <= limit) & (~half | (broken[0] == broken[1]))) | (is_out(numbers) & ~half & (ours >= CAPPED))
    return by_chance | alike, misfit


def is_out(numbers: Numbers) -> np.ndarray:
    """Whether any number that was observed is further from the right one than is allowed."""
    found: np.ndarray = np.logical_or.reduceat(~(np.abs(numbers.got) <= numbers.allowed), numbers.starts)
    return found


def severity(off: np.ndarray, numbers: Numbers) -> np.ndarray:
    """How many times what is allowed a fact is off, as a root mean square; at least a thousandth."""
    times = np.abs(off) / np.maximum(numbers.allowed, 1e-300)
    times = np.where(np.isfinite(times), np.minimum(times, CAPPED), CAPPED)
    found: np.ndarray = np.maximum(root_mean_square(times, numbers.starts), 1e-3)
    return found


def root_mean_square(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Of the finite values of each fact; 0 where there is none."""
    finite = np.isfinite(values)
    squares = np.add.reduceat(np.where(finite, values, 0.0) ** 2, starts)
    found: np.ndarray = np.sqrt(squares / np.maximum(np.add.reduceat(finite.astype(np.int64), starts), 1))
    return found
