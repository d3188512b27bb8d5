"""Monte Carlo arithmetic for NumPy: an array whose operations are rounded at random, as `RandomRounding` rounds those of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Gives the next factors 1 + ξ·u, in that shape and in float64.
NextFactors = Callable[[tuple[int, ...]], np.ndarray]

# Operations whose result is exact: they select, compare or move numbers, or change a sign.
EXACT_UFUNCS = frozenset({np.negative, np.positive, np.absolute, np.fabs, np.maximum, np.minimum, np.fmax, np.fmin, np.sign, np.copysign})
# Functions in C that compute. Other functions are made of ufuncs, or only move numbers.
COMPUTED_IN_C = frozenset({"dot", "vdot", "inner", "einsum", "correlate", "interp", "bincount"})


class RoundedArray(np.ndarray):
    """An array. The result of every inexact operation on it is multiplied by 1 + ξ·u, number by number, and is such an array too."""

    next_factors: NextFactors | None = None

    def __array_finalize__(self, other: object) -> None:
        self.next_factors = getattr(other, "next_factors", None)

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
        if function.__module__ == "numpy.linalg" or function.__name__ in COMPUTED_IN_C:
            return self.all_taken(result, exact=False)
        return result

    def all_taken(self, result: Any, exact: bool) -> Any:
        """The result of a function: an array, a number, or a tuple of these."""
        if isinstance(result, tuple):
            taken = [self.taken(each, exact) for each in result]
            return type(result)(*taken) if hasattr(result, "_fields") else tuple(taken)
        return self.taken(result, exact)

    def taken(self, result: Any, exact: bool) -> Any:
        """A result as such an array, with its next factors applied in place unless it is exact. Whole numbers stay as they are."""
        array = np.asarray(result)
        if array.dtype.kind != "f":
            return result
        if not exact and self.next_factors is not None:
            array = array if array.flags.writeable else array.copy()
            array *= self.next_factors(array.shape).astype(array.dtype)
        return of(array, self.next_factors)


def of(array: np.ndarray, next_factors: NextFactors | None) -> RoundedArray:
    """The same numbers, in an array whose operations are rounded."""
    rounded = array.view(RoundedArray)
    rounded.next_factors = next_factors
    return rounded


def plain(thing: Any) -> Any:
    """Arguments without such arrays: plain arrays in their place, with the same numbers in the same memory."""
    match thing:
        case RoundedArray():
            return thing.view(np.ndarray)
        case tuple() | list():
            return type(thing)(map(plain, thing))
        case _:
            return thing


def factors_from(all_of_them: np.ndarray, start: int) -> NextFactors:
    """The next factors of a long list, one after the other; where too few are left, from the first one again."""
    used = start % len(all_of_them)

    def next_factors(shape: Sequence[int]) -> np.ndarray:
        nonlocal used
        size = int(np.prod(shape, dtype=np.int64))
        if size > len(all_of_them):
            return np.resize(all_of_them, size).reshape(shape)
        if used + size > len(all_of_them):
            used = 0
        used += size
        return all_of_them[used - size : used].reshape(shape)

    return next_factors
