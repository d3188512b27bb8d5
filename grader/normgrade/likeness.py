"""What a difference looks like: one factor, one offset, one of either per channel, swapped axes, NaN."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

AXES = {0: "row", 1: "channel"}
LARGEST_COUNT = 192  # of the counts n that are tried as the origin n / (n − 1) of a factor; above, almost any factor is near one


def looks_like(expected: np.ndarray, actual: np.ndarray, allowed: np.ndarray) -> str | None:
    """A few words on the difference, or None where it looks like nothing in particular. Shapes agree."""
    if expected.dtype.kind != "f":
        return None
    right, got = expected.astype(np.float64), actual.astype(np.float64)
    if not np.isfinite(got).all():
        return not_finite(got)
    if right.size > 1 and not got.any():
        return "every value is 0"
    with np.errstate(all="ignore"):
        if right.size < 3 or fits(right, got, allowed):
            return None  # two numbers look like anything, and numbers that are barely off like nothing
        return one_for_all(right, got, allowed) or swapped(right, got, allowed) or one_each(right, got, allowed)


def not_finite(got: np.ndarray) -> str:
    first = np.argwhere(~np.isfinite(got))[0]
    noun, alike = ("NaN", np.isnan(got)) if np.isnan(got[tuple(first)]) else ("Inf", np.isinf(got))
    return f"{noun} in {alike.sum()} of {got.size} values, first at {first.tolist()}"


def one_for_all(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> str | None:
    """One factor, or one offset, for every value."""
    factor = float((right * got).sum() / (right * right).sum())
    if fits(right * factor, got, allowed, factor):
        return "every value has the opposite sign" if abs(factor + 1) < 1e-6 else f"every value × {named(factor)}"
    offset = float((got - right).mean())
    if fits(right + offset, got, allowed):
        return f"every value {'+' if offset > 0 else '−'} {abs(offset):.6g}"
    return None


def one_each(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> str | None:
    """One factor, or one offset, per row or per channel."""
    for axis, noun in AXES.items():
        others = tuple(other for other in range(right.ndim) if other != axis)
        if axis >= right.ndim or np.prod([right.shape[other] for other in others], dtype=int) < 3:
            continue
        factor = (right * got).sum(others, keepdims=True) / (right * right).sum(others, keepdims=True)
        if fits(right * factor, got, allowed, factor):
            return f"one factor per {noun}: × {factor.min():.6g} to × {factor.max():.6g}"
        offset = (got - right).mean(others, keepdims=True)
        if fits(right + offset, got, allowed):
            return f"one offset per {noun}: {offset.min():+.6g} to {offset.max():+.6g}"
    return None


def swapped(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> str | None:
    for first in range(right.ndim):
        for second in range(first + 1, right.ndim):
            if right.shape[first] == right.shape[second] > 1 and fits(right.swapaxes(first, second), got, allowed):
                return f"the axes {first} and {second} are swapped"
    return None


def fits(model: np.ndarray, got: np.ndarray, allowed: np.ndarray, factor: float | np.ndarray = 1.0) -> bool:
    """Whether the model explains what came, as exactly as a right answer would have to be."""
    return bool((np.abs(got - model) <= 2 * allowed * np.maximum(1, np.abs(factor))).all())


ORIGINS: dict[str, Callable[[float], float]] = {"n / (n − 1)": lambda n: n / (n - 1), "√(n / (n − 1))": lambda n: (n / (n - 1)) ** 0.5}


def named(factor: float) -> str:
    """A factor with its likely origin: "16/15, which is n / (n − 1) for n = 16"."""
    if not 0.49 < factor < 2.01:  # of no such origin; and its square may be no float
        return f"{factor:.6g}"
    for origin, value in ORIGINS.items():
        power = 2 if origin.startswith("√") else 1
        for inverse in (False, True):
            ratio = (1 / factor if inverse else factor) ** power
            if not 1.0002 < ratio <= 2.001:
                continue
            n = round(ratio / (ratio - 1))
            if 2 <= n <= LARGEST_COUNT and abs(value(n) / (1 / factor if inverse else factor) - 1) < 2e-6:
                fraction = f"{n - 1}/{n}" if inverse else f"{n}/{n - 1}"
                shown = fraction if power == 1 else f"√({fraction})"
                return f"{shown}, which is {inverted(origin, inverse)} for n = {n}"
    return f"{factor:.6g}"


def inverted(origin: str, inverse: bool) -> str:
    return origin.replace("n / (n − 1)", "(n − 1) / n") if inverse else origin
