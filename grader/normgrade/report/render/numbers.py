"""The numbers of a difference that are shown, written with enough digits to tell them apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from normgrade.report.report import ArrayDifference, Numbers, SideBySide, WorstNumber

FEW = 6  # an array of so many numbers is shown whole; a larger one shows only its worst
WORST = 3
DIGITS = 6
EXACT = 17  # significant digits that tell any two float64 numbers apart


@dataclass(frozen=True, slots=True)
class Row:
    """Both sides at one index. `error` is infinite if the two cannot be subtracted."""

    index: tuple[int, ...]
    expected: bool | int | float
    actual: bool | int | float
    error: float
    allowed: float
    differs: bool
    worst: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Two arrays of one shape, flattened; `ratio` is the absolute error divided by the allowed error."""

    shape: tuple[int, ...]
    expected: np.ndarray
    actual: np.ndarray
    allowed: np.ndarray
    error: np.ndarray
    ratio: np.ndarray
    worst: int

    @classmethod
    def of(cls, arrays: SideBySide) -> Sides:
        """Flatten two arrays that hold at least one number. If they are a difference, the worst number is the one that it names."""
        numbers = arrays.numbers
        shape = numbers.expected.shape
        allowed, error = np.broadcast_to(numbers.allowed, shape).ravel(), errors(numbers)
        ratio = ratios(error, allowed)
        worst = number_at(arrays.at, shape) if isinstance(arrays, ArrayDifference) else int(np.argmax(ratio))
        return cls(shape, numbers.expected.ravel(), numbers.actual.ravel(), allowed, error, ratio, worst)

    def index(self, number: int) -> tuple[int, ...]:
        return tuple(int(index) for index in np.unravel_index(number, self.shape))

    def row(self, number: int) -> Row:
        return Row(
            index=self.index(number),
            expected=self.expected[number].item(),
            actual=self.actual[number].item(),
            error=float(self.error[number]),
            allowed=float(self.allowed[number]),
            differs=bool(self.ratio[number] > 1),
            worst=number == self.worst,
        )


def number_at(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """Return the flat index of a number: its place among all numbers of the array, counted from 0."""
    return int(np.ravel_multi_index(index, shape)) if shape else 0


def sides(arrays: SideBySide) -> tuple[Row, ...]:
    """Return the rows worth showing: all of a small array in its order, else only the worst rows, worst first."""
    if isinstance(arrays, ArrayDifference) and isinstance(arrays.numbers, WorstNumber):
        (error,) = errors(arrays.numbers)
        return (Row(arrays.at, arrays.expected, arrays.actual, float(error), arrays.allowed, differs=True, worst=True),)
    both = Sides.of(arrays)
    return tuple(map(both.row, shown(both.ratio, both.worst)))


def shown(ratio: np.ndarray, worst: int) -> list[int]:
    """Return the flat indices of the rows worth showing."""
    if ratio.size <= FEW:
        return list(range(ratio.size))
    others = [int(number) for number in np.argsort(-ratio, kind="stable")[: WORST + 1] if number != worst and ratio[number] > 1]
    return [worst, *others][:WORST]


def errors(numbers: Numbers) -> np.ndarray:
    """Return the absolute error of each number: 0 if both sides are NaN or the same infinity, infinity if only one side is NaN."""
    with np.errstate(all="ignore"):
        expected, actual = numbers.expected.astype(np.float64).ravel(), numbers.actual.astype(np.float64).ravel()
        error = np.abs(actual - expected)
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    result: np.ndarray = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
    return result


def ratios(error: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return each error divided by its allowed error."""
    with np.errstate(all="ignore"):
        ratio = error / allowed
    result: np.ndarray = np.where(error == 0, 0.0, np.where(np.isnan(ratio), np.inf, ratio))
    return result


def as_text(value: object, digits: int = DIGITS) -> str:
    """Return a value as text; floats have so many significant digits."""
    plain = value.item() if isinstance(value, np.generic) else value
    return f"{plain:.{digits}g}" if isinstance(plain, float) else str(plain)


def as_size(value: float) -> str:
    """Return an error or an allowance as text, with two significant digits or without decimals."""
    return f"{value:.0f}" if 100 <= value < 1e6 else f"{value:.2g}"


def as_pair(expected: object, actual: object) -> tuple[str, str]:
    """Return two values that differ as texts, with enough digits to tell them apart."""
    for digits in range(DIGITS, EXACT + 1):
        pair = as_text(expected, digits), as_text(actual, digits)
        if pair[0] != pair[1]:
            return pair
    return repr(expected), repr(actual)  # the same number as two types: 3 and 3.0


def as_texts(row: Row) -> tuple[str, str]:
    """Return both sides of a row as texts."""
    return as_pair(row.expected, row.actual) if row.differs else (as_text(row.expected), as_text(row.actual))


def cells_of(row: Row) -> tuple[str, ...]:
    """Return the cells of a row: ▶ marks the worst and ✗ the others that are too far off."""
    expected, actual = as_texts(row)
    mark = "" if not row.differs else "▶" if row.worst else "✗"
    return mark, str(list(row.index)) if row.index else "", expected, actual, as_size(row.error), as_size(row.allowed)
