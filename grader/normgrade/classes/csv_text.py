"""CSV files of other systems, changed cell by cell: everything else stays as it was, byte by byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from normgrade.course.files import TooLarge, read_plain
from normgrade.language import _
from normgrade.language.errors import UsageError

LIMIT_BYTES = 32 * 1024**2
DELIMITERS = ",;\t"
BOM = "\ufeff"  # Excel reads a file that begins with it as UTF-8
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it is written, and what ends it: the delimiter, the end of its line, or nothing at the end of the file."""

    raw: str
    end: str

    @property
    def value(self) -> str:
        """The text of the cell, without blanks around it."""
        text = self.raw
        if text.startswith('"'):
            inner, _quote, rest = text[1:].rpartition('"')
            text = inner.replace('""', '"') + rest
        return text.strip()

    def holding(self, value: str, delimiter: str) -> Cell:
        """Return the cell with another value, quoted if it was quoted before or has to be."""
        quoted = self.raw.startswith('"') or any(sign in value for sign in (delimiter, '"', "\r", "\n"))
        return replace(self, raw='"' + value.replace('"', '""') + '"' if quoted else value)


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """The rows of a CSV file. The first one that has a text holds the titles."""

    path: Path
    rows: tuple[Row, ...]
    delimiter: str
    encoding: str
    with_bom: bool

    @cached_property
    def first(self) -> int:
        """The number of the row of titles."""
        rows = enumerate([cell.value for cell in row] for row in self.rows)
        return next((number for number, row in rows if any(row) and not names_delimiter(row)), 0)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        return tuple(cell.value for cell in self.rows[self.first]) if self.rows else ()

    @cached_property
    def below(self) -> Mapping[int, tuple[str, ...]]:
        """The values of the rows below the titles, by the number of the row, as wide as the titles. Empty rows are left out."""
        found = {number: tuple(cell.value for cell in row) for number, row in enumerate(self.rows) if number > self.first}
        width = len(self.titles)
        return {number: (*row, *[""] * (width - len(row))) for number, row in found.items() if any(row)}

    def column(self, number: int) -> list[str]:
        """Return the values of a column below its title."""
        return [row[number] for row in self.below.values()]

    def with_values(self, values: Mapping[tuple[int, int], str]) -> Table:
        """Return the table with other values in some cells, by the numbers of row and column."""
        rows = [list(row) for row in self.rows]
        for (row, column), value in values.items():
            lengthen(rows[row], column, self.delimiter)
            rows[row][column] = rows[row][column].holding(value, self.delimiter)
        return replace(self, rows=tuple(map(tuple, rows)))

    def as_bytes(self, with_bom: bool = False) -> bytes:
        """Return the file, with a byte order mark if it had one or should have one."""
        text = "".join(cell.raw + cell.end for row in self.rows for cell in row)
        return ((BOM if self.with_bom or with_bom else "") + text).encode("utf-8" if with_bom else self.encoding)


def lengthen(row: list[Cell], column: int, delimiter: str) -> None:
    """Add empty cells to a short row until it has this column."""
    while len(row) <= column:
        last = row.pop()
        row += [replace(last, end=delimiter), Cell("", last.end)]


def read_table(path: Path) -> Table:
    """Return the rows of a CSV file in UTF-8 or Latin-1. Raise a UsageError if it cannot be read."""
    try:
        content = read_plain(path.resolve(), LIMIT_BYTES)
    except TooLarge as error:
        raise UsageError(_('"{path}" is larger than 32 MiB: pass the file as it was downloaded.', path=path)) from error
    except OSError as error:
        raise UsageError(_('"{path}" cannot be read ({why}): pass the file that was downloaded.', path=path, why=error.strerror)) from error
    text, encoding = decoded(content)
    if "\0" in text:
        raise not_csv(path, _("it has NUL bytes"))
    body = text.removeprefix(BOM)
    delimiter = delimiter_of(body)
    rows = rows_of(body, delimiter)
    if rows is None:
        raise not_csv(path, _("a quotation mark is not closed"))
    return Table(path, rows, delimiter, encoding, text.startswith(BOM))


def decoded(content: bytes) -> tuple[str, str]:
    """Return the text and its encoding, in which every byte comes back."""
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def delimiter_of(text: str) -> str:
    """Return the sign that separates the titles."""
    first = next(filter(str.strip, QUOTED.sub("", text).splitlines()), "")
    return max(DELIMITERS, key=first.count)


def names_delimiter(row: Sequence[str]) -> bool:
    """Return True for the line "sep=;", which tells Excel the delimiter, and is no row of titles."""
    return row[0].casefold().startswith("sep=") and not any(row[1:])


def rows_of(text: str, delimiter: str) -> tuple[Row, ...] | None:
    """Return the rows of a text; None if a quotation mark is not closed."""
    cell = re.compile(rf'("(?:[^"]|"")*+"[^{delimiter}\r\n]*|(?!")[^{delimiter}\r\n]*)({delimiter}|\r\n|\r|\n|\Z)')
    rows: list[Row] = []
    row: list[Cell] = []
    at = 0
    while at < len(text) or row:
        found = cell.match(text, at)
        if found is None:
            return None
        row.append(Cell(found[1], found[2]))
        at = found.end()
        if found[2] != delimiter:
            rows.append(tuple(row))
            row = []
    return tuple(rows)


def not_csv(path: Path, why: str) -> UsageError:
    return UsageError(_('"{path}" is not CSV ({why}): pass the file as it was downloaded.', path=path, why=why))


def listed_titles(titles: Sequence[str]) -> str:
    """Return titles for a message."""
    return ", ".join(f'"{title}"' for title in titles if title)
