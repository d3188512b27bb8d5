"""A table of exercises, a row for each, below the headings of their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgrade.course.course import Exercise
from normgrade.language import _

GAP = 2  # between two columns
INDENT = 2  # of a row below the heading of its group
NARROWEST = 6  # that the elastic column gets


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what stands above it, whether it holds numbers, and whether it gives way where the terminal is narrow."""

    heading: str
    number: bool = False
    elastic: bool = False


def print_by_group(console: Console, columns: Sequence[Column], rows: Mapping[Exercise, Sequence[str]]) -> None:
    """Print the rows. A group stands where its first exercise does; all rows have the same columns."""
    headings = [_(column.heading) for column in columns]
    widths = widths_of(columns, [headings, *rows.values()], console.width)
    console.print(table_of(columns, widths, [headings], style="dim"))
    for group in dict.fromkeys(exercise.group for exercise in rows):
        console.print()
        console.print(Text(group, style="bold"))
        console.print(table_of(columns, widths, [cells for exercise, cells in rows.items() if exercise.group == group]))


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """How wide each column is, so that all fit: as wide as its widest cell, but for the elastic one."""
    widths = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    excess = max(INDENT + sum(widths) + GAP * (len(widths) - 1) - width, 0)
    return [max(each - excess, NARROWEST) if column.elastic else each for column, each in zip(columns, widths, strict=True)]


def table_of(columns: Sequence[Column], widths: Sequence[int], rows: Sequence[Sequence[str]], style: str = "") -> Padding:
    """Some of the rows."""
    table = Table(box=None, show_header=False, padding=(0, GAP, 0, 0), pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(justify="right" if column.number else "left", width=width, no_wrap=not column.elastic)
    for cells in rows:
        table.add_row(*(Text(cell, style=style) for cell in cells))
    return Padding(table, (0, 0, 0, INDENT), expand=False)
