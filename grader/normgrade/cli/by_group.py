"""A table of exercises, a row for each, below the headings of their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgrade.course.exercise import Exercise
from normgrade.language import _

GAP = 2  # between two columns
INDENT = 2  # of a row below the heading of its group


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and if it holds numbers.

    In a narrow terminal, the `elastic` column becomes narrower, down to `least`; then `spare` columns are left out, the highest number
    first.
    """

    heading: str
    number: bool = False
    elastic: bool = False
    spare: int = 0
    least: int = 6


def print_by_group(console: Console, columns: Sequence[Column], rows: Mapping[Exercise, Sequence[str]]) -> None:
    """Print the rows by group, in the order of each group's first exercise; all rows have the same columns."""
    cells = [[_(column.heading) for column in columns], *rows.values()]
    kept = kept_of(columns, cells, console.width)
    headings, *contents = ([line[number] for number in kept] for line in cells)
    columns = [columns[number] for number in kept]
    widths = widths_of(columns, [headings, *contents], console.width)
    console.print(table_of(columns, widths, [headings], style="dim"))
    by_exercise = dict(zip(rows, contents, strict=True))
    for group in dict.fromkeys(exercise.group for exercise in rows):
        console.print()
        console.print(Text(group, style="bold"))
        console.print(table_of(columns, widths, [line for exercise, line in by_exercise.items() if exercise.group == group]))


def kept_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the numbers of the columns that are shown: spare ones are left out until there is room."""
    kept = [*range(len(columns))]
    least = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    for number, column in sorted(enumerate(columns), key=lambda each: -each[1].spare):
        taken = sum(GAP + (columns[each].least if columns[each].elastic else least[each]) for each in kept)
        if column.spare and taken > width:
            kept.remove(number)
    return kept


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the width of each column, so that all fit: that of its widest cell, or less for the elastic column."""
    widths = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    excess = max(INDENT + sum(widths) + GAP * (len(widths) - 1) - width, 0)
    return [max(each - excess, column.least) if column.elastic else each for column, each in zip(columns, widths, strict=True)]


def table_of(columns: Sequence[Column], widths: Sequence[int], rows: Sequence[Sequence[str]], style: str = "") -> Padding:
    """Return a table of some of the rows."""
    table = Table(box=None, show_header=False, padding=(0, GAP, 0, 0), pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(justify="right" if column.number else "left", width=width, no_wrap=not column.elastic)
    for cells in rows:
        table.add_row(*(Text(cell, style=style) for cell in cells))
    return Padding(table, (0, 0, 0, INDENT), expand=False)
