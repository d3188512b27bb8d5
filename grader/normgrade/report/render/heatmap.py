"""Pictures of the differences of two arrays, with a cell for each number. The larger an excessive error, the stronger its colour."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from normgrade.language import _
from normgrade.report.render.numbers import Row, Sides, as_size, as_texts
from normgrade.report.render.wording import place_of
from normgrade.report.report import ArrayDifference

FOLDED = 32  # numbers to a row of a long array of one dimension
DECADES = 6  # levels of excessive errors: up to 10 times the allowed error, up to 100 times, … and everything above
INFINITE = DECADES + 1
CELL, GAP, LABEL, CHARACTER = 16, 4, 12, 6.2  # pixels; a square is one less than its cell, as page.css says too


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
    """The cells of a picture of a place, and a label for each row: the index of its first number. Lengths are in pixels."""

    place: str
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
        place=place_of(difference),
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
