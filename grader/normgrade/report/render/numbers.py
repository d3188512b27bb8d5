"""The numbers of a difference: those that are shown, with enough digits to tell them apart, and a picture of all."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from normgrade.language import _
from normgrade.report.report import ArrayDifference, Numbers, SideBySide, WorstNumber

FEW = 6  # an array of so many numbers is shown whole; a larger one shows only its worst
WORST = 3
DIGITS = int(np.finfo(np.float32).precision)  # significant ones, which every float32 number has
EXACT = sys.float_info.dig + 2  # significant digits that tell any two float64 numbers apart


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
        if isinstance(arrays, ArrayDifference):
            worst = int(np.ravel_multi_index(arrays.at, shape)) if shape else 0
        else:
            worst = int(np.argmax(ratio))
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


# Pictures, with a cell for each number. The larger an excessive error, the stronger its colour


FOLDED = 32  # numbers to a row of a long array of one dimension
DECADES = 6  # levels of excessive errors: up to 10 times the allowed error, up to 100 times, … and everything above
INFINITE = DECADES + 1
CELL, CHARACTER = 16, 6.2  # pixels; a square is one less than its cell, as page.css says too
GAP, LABEL = CELL // 4, CELL * 3 // 4  # between rows; the base line of a label


@dataclass(frozen=True, slots=True)
class Cell:
    """One number, or the worst of a block of them."""

    row: int
    column: int
    level: int
    worst: bool  # of all
    text: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The cells of a picture, and a label for each row: the index of its first number. Lengths are in pixels."""

    cells: tuple[Cell, ...]
    labels: tuple[str, ...]
    gaps: tuple[int, ...]  # above each row: the number of outer dimensions that start a new index there
    columns: int
    block: tuple[int, int]  # rows and columns that a cell stands for

    @property
    def left(self) -> float:
        """The left edge of the cells, to the right of the labels."""
        return max(map(len, self.labels)) * CHARACTER + GAP

    @property
    def tops(self) -> list[int]:
        """The upper edge of each row."""
        return [sum(self.gaps[: row + 1]) * GAP + row * CELL for row in range(len(self.labels))]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return self.left + self.columns * CELL + GAP, self.tops[-1] + CELL + GAP

    @property
    def levels(self) -> list[int]:
        """The levels in use."""
        return sorted({cell.level for cell in self.cells})


def heat_map(difference: ArrayDifference, largest: tuple[int, int]) -> HeatMap:
    """Return the cells of a difference. They are blocks of numbers if there are more than `largest` rows or columns."""
    both = Sides.of(difference)
    shape, ratio, worst = both.shape, both.ratio, both.worst
    width = shape[-1] if len(shape) > 1 else min(FOLDED, ratio.size)
    height = math.ceil(ratio.size / width)
    block = math.ceil(height / largest[0]), math.ceil(width / largest[1])

    def cells() -> Iterator[Cell]:
        for row in range(math.ceil(height / block[0])):
            for column in range(math.ceil(width / block[1])):
                members = members_of(row, column, block, width, ratio.size)
                if members:
                    number = worst if worst in members else max(members, key=lambda member: float(ratio[member]))
                    far = float(ratio[number])
                    yield Cell(row, column, level_of(far), number == worst, in_words(both.row(number), far, len(members) - 1))

    rows = range(0, height, block[0])
    return HeatMap(
        cells=tuple(cells()),
        labels=tuple(label_of(both.index(row * width), shape) for row in rows),
        gaps=tuple(gap_of(row, block, shape) for row in rows),
        columns=math.ceil(width / block[1]),
        block=block,
    )


def members_of(row: int, column: int, block: tuple[int, int], width: int, size: int) -> list[int]:
    """Return the flat indices of the numbers in a block."""
    columns = range(column * block[1], min((column + 1) * block[1], width))
    rows = range(row * block[0], (row + 1) * block[0])
    return [number for each in rows for number in (each * width + other for other in columns) if number < size]


def label_of(first: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Return the index of a row's first number, without the last dimension if a row holds all of it."""
    if len(shape) < 2:
        return str(list(first)) if shape and shape[0] > FOLDED else ""
    return "[" + ", ".join([*map(str, first[:-1]), "·"]) + "]"


def gap_of(row: int, block: tuple[int, int], shape: tuple[int, ...]) -> int:
    """Return how many outer dimensions start a new index with a row: 0 inside a matrix."""
    if row == 0 or block[0] > 1 or len(shape) < 3:
        return 0
    sizes = np.cumprod(shape[-2:0:-1])
    return int(sum(row % size == 0 for size in sizes))


def level_of(ratio: float) -> int:
    """Return the level of an error: 0 if it is allowed, 1 up to 10 times the allowed error, 2 up to 100 times, and so on.

    An infinite ratio, or NaN, has the last level.
    """
    if not math.isfinite(ratio):
        return INFINITE
    return 0 if ratio <= 1 else min(DECADES, math.ceil(math.log10(ratio)))


def in_words(number: Row, ratio: float, others: int) -> str:
    """Return the text of a cell: index, values, error and allowed error of its number, and how many other numbers it stands for."""
    (expected, actual), index = as_texts(number), list(number.index)
    error, allowed = as_size(number.error), as_size(number.allowed)
    said = _(
        "{index}: expected {expected}, got {actual}, off by {error}, allowed {allowed}",
        **{"index": index, "expected": expected, "actual": actual, "error": error, "allowed": allowed},
    )
    times = _(" (exceeded by a factor of {ratio})", ratio=as_size(ratio)) if 1 < ratio < math.inf else ""
    block = _("; the worst of {count} numbers here", count=others + 1) if others else ""
    return said + times + block


def caption(block: tuple[int, int]) -> str:
    """Return the explanation of a cell."""
    if block == (1, 1):
        return _(
            "Each cell is one number. A stronger colour marks an error further beyond the allowed one. The ring marks the worst number."
        )
    rows, columns = block
    return _(
        "Each cell is a block of {rows} × {columns} numbers, and shows the worst of them. The ring marks the worst number of all.",
        rows=rows,
        columns=columns,
    )


def meaning(level: int) -> str:
    """Return the meaning of a colour; the scale is logarithmic."""
    if level == 0:
        return _("within the allowed error")
    if level == INFINITE:
        return _("infinite error, or not a number")
    if level == DECADES:
        return _("more than {times} times the allowed error", times=f"{10 ** (DECADES - 1):,}")
    return _("up to {times} times the allowed error", times=f"{10**level:,}")
