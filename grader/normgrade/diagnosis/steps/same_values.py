"""A comparison of values by their sorted distinct numbers. Shape, axes, arrangement and broadcasting do not matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from normgrade.worker.wire.observation import HALF, Record

EXACT, NARROW = 1e-8, 2e-5  # allowed difference relative to the largest number, if all is float64, or some is float32
TINY = 1e-300


def tolerance_of(records: Iterable[Record]) -> float | None:
    """Return the allowed difference between numbers, for the least precise dtype of these records; None for half precision."""
    dtypes = {record.dtype for record in records}
    if dtypes & {*HALF}:
        return None
    return NARROW if "float32" in dtypes else EXACT


def distinct(values: np.ndarray, tolerance: float) -> np.ndarray | None:
    """Return the sorted distinct numbers; None if some are not finite."""
    ordered = np.sort(values, axis=None)
    if not np.isfinite(ordered).all():
        return None
    apart = np.diff(ordered) > tolerance * largest(ordered)
    return np.asarray(ordered[np.concatenate([[True], apart])])


def same(one: np.ndarray, other: np.ndarray, tolerance: float) -> bool:
    """Return True if two arrays of the same size hold the same numbers, one by one."""
    if one.size != other.size:
        return False
    one, other = one.ravel(), other.ravel()
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool((np.abs(one - other) <= tolerance * largest(other)).all())


def largest(values: np.ndarray) -> float:
    """Return the largest absolute value, plus a tiny number so that it is never 0."""
    return float(np.abs(values).max(initial=0.0)) + TINY


@dataclass(frozen=True, eq=False)
class Member:
    """The distinct numbers of a group, with the fields that are compared first."""

    group: int
    numbers: np.ndarray
    first: float
    last: float
    near: float  # the allowed difference of each number


@dataclass
class Groups:
    """Groups of equal values. Values with the same distinct numbers have the same group number."""

    tolerance: float
    members: dict[int, list[Member]] = field(default_factory=dict)  # by their number of distinct numbers
    count: int = 0

    def find(self, numbers: np.ndarray | None) -> int | None:
        """Return the number of the group that has these distinct numbers, if there is one."""
        if numbers is None:
            return None
        first, last = float(numbers[0]), float(numbers[-1])
        for member in self.members.get(numbers.size, ()):
            close = abs(first - member.first) <= member.near and abs(last - member.last) <= member.near
            if close and bool((np.abs(numbers - member.numbers) <= member.near).all()):
                return member.group
        return None

    def add(self, numbers: np.ndarray | None) -> int | None:
        """Find the group, or make a new one. Returns its number; None if the numbers are not finite."""
        group = self.find(numbers)
        if group is None and numbers is not None:
            group, self.count = self.count, self.count + 1
            new = Member(group, numbers, float(numbers[0]), float(numbers[-1]), self.tolerance * largest(numbers))
            self.members.setdefault(numbers.size, []).append(new)
        return group

    def found_in(self, records: Sequence[Record]) -> set[int]:
        """Return the groups that occur in some record."""
        return {group for record in records if (group := self.find(distinct(record.values, self.tolerance))) is not None}


def collapsed(values: np.ndarray) -> np.ndarray:
    """Return the values with every constant axis reduced to length 1."""
    for axis, size in enumerate(values.shape):
        first = values.take([0], axis)
        if size > 1 and (values == first).all():
            values = first
    return values
