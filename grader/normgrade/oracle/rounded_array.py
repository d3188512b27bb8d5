"""Monte Carlo arithmetic for NumPy: arrays whose operations are rounded at random, as `rounding.py` rounds those of PyTorch."""

from __future__ import annotations

import math
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Self

import numpy as np

from normgrade.probes.arrays import ENTERING

FACTORS = 2**20
STRIDE = 65_537  # the distance of the first factors of two seeds: prime, and more than one play of a suite uses

# Operations whose result is exact: they select, compare or move numbers, or change a sign.
EXACT_UFUNCS = frozenset({np.negative, np.positive, np.absolute, np.fabs, np.maximum, np.minimum, np.fmax, np.fmin, np.sign, np.copysign})
# Functions in C that compute. Other functions are made of ufuncs, or only move numbers.
COMPUTED_IN_C = frozenset({"dot", "vdot", "inner", "einsum", "correlate", "interp", "bincount"})


class RandomRounding:
    """A context in which every array that a probe gives to an implementation is a `RoundedArray`: its operations are rounded at random."""

    def __init__(self, unit_roundoff: float, seed: int) -> None:
        self.factors = factors(unit_roundoff)
        self.used = seed * STRIDE % FACTORS

    def __enter__(self) -> Self:
        self.tokens = ROUNDING.set(self), ENTERING.set(of)
        return self

    def __exit__(self, *raised: object) -> None:
        rounding, entering = self.tokens
        ROUNDING.reset(rounding)
        ENTERING.reset(entering)

    def next_factors(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return the next factors 1 + ξ·u, in this shape and in float64. If too few are left, they start again from the first one."""
        size = math.prod(shape)
        if size > FACTORS:
            return np.resize(self.factors, size).reshape(shape)
        if self.used + size > FACTORS:
            self.used = 0
        self.used += size
        return self.factors[self.used - size : self.used].reshape(shape)


ROUNDING: ContextVar[RandomRounding | None] = ContextVar("ROUNDING", default=None)


@lru_cache(maxsize=4)
def factors(unit_roundoff: float) -> np.ndarray:
    """Return random factors 1 + ξ·u, drawn once: to take a slice of them is much faster than to draw."""
    return 1 + unit_roundoff * np.random.Generator(np.random.PCG64(0)).standard_normal(FACTORS)


class RoundedArray(np.ndarray):
    """An array whose inexact operations are rounded while a `RandomRounding` is on.

    The result of each such operation is multiplied by 1 + ξ·u, number by number. It is a RoundedArray, too.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        for name in ("out", "where"):
            if name in kwargs:
                kwargs[name] = plain(kwargs[name])
        result = getattr(ufunc, method)(*plain(inputs), **kwargs)
        if result is None:  # ufunc.at works in place
            return None
        exact = ufunc in EXACT_UFUNCS
        return tuple(self.taken(each, exact) for each in result) if isinstance(result, tuple) else self.taken(result, exact)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        result = super().__array_function__(function, types, args, kwargs)
        return self.all_taken(result, function.__module__ != "numpy.linalg" and function.__name__ not in COMPUTED_IN_C)

    def all_taken(self, result: Any, exact: bool) -> Any:
        """Return the result of a function with rounded arrays in it: an array, a number, or a tuple or list of these.

        Functions often return plain arrays when they are given rounded ones.
        """
        if isinstance(result, tuple | list):
            taken = [self.taken(each, exact) for each in result]
            return type(result)(*taken) if hasattr(result, "_fields") else type(result)(taken)
        return self.taken(result, exact) if isinstance(result, np.ndarray | np.generic) else result

    def taken(self, result: Any, exact: bool) -> Any:
        """Return a result as a RoundedArray, with its next factors applied in place unless it is exact. Whole numbers stay as they are."""
        array = np.asarray(result)
        if array.dtype.kind != "f":
            return result
        if not exact and (rounding := ROUNDING.get()) is not None:
            array = array if array.flags.writeable else array.copy()
            array *= rounding.next_factors(array.shape).astype(array.dtype)
        return of(array)


def of(array: np.ndarray) -> RoundedArray:
    """Return the same numbers, in an array whose operations are rounded."""
    return array.view(RoundedArray)


def plain(thing: Any) -> Any:
    """Return the arguments with plain arrays in the place of rounded ones: the same numbers in the same memory."""
    match thing:
        case RoundedArray():
            return thing.view(np.ndarray)
        case tuple() | list():
            return type(thing)(map(plain, thing))
        case _:
            return thing
