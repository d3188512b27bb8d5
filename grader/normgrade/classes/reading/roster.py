"""The roster of a class: a list of its students, from a learning management system or made by hand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from normgrade.classes.csv_files import read_table
from normgrade.classes.hand_ins import printable_name
from normgrade.language import _
from normgrade.language.errors import UsageError

FULL_NAMES = ("full name", "student", "student name", "name", "姓名")  # titles, the surest first
OTHER_NAMES = ("identifier", "github_username", "username", "login", "email")  # titles, for a row without a name
HALVES = (("first name", "last name"), ("first name", "surname"), ("first_name", "last_name"), ("given name", "family name"))
PARTICIPANT = re.compile(r"\D+ (?P<number>\d+)")  # "Participant 123" of Moodle, in the language of the site
NO_STUDENT = re.compile(r"\s*(?:points possible|student, test)\s*", re.IGNORECASE)  # first cells of rows of Canvas
MOSTLY = 0.9  # of the names in a column of names differ


@dataclass(frozen=True, slots=True)
class Row:
    """A student of a roster: the name, printable and only this student's, and the cells of the row."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Roster:
    """The students of a class, the names that several of them have, and the number of rows without a name."""

    rows: tuple[Row, ...]
    shared: frozenset[str] = frozenset()
    nameless: int = 0

    @cached_property
    def indexes(self) -> tuple[dict[str, Row | None], ...]:
        """The rows by what stands in them, for each column, and then for each way to join two of them; None for several rows."""
        found: dict[tuple[int, int], dict[str, Row | None]] = {}
        for row in self.rows:
            for kind, key in keys_of(row.cells):
                index = found.setdefault(kind, {})
                index[key] = row if index.get(key, row) is row else None
        return tuple(found[kind] for kind in sorted(found))

    def row_of(self, *known: str) -> Row | None:
        """Return the row that a student's id, name or address finds: the first column in which one of them stands decides."""
        keys = [key for text in known if (key := as_key(text))]
        return next((row for index in self.indexes for key in keys if (row := index.get(key))), None)


def keys_of(cells: Sequence[str]) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the texts that find a row, each with its kind: a column, or a way to join columns."""
    for column, key in enumerate(map(as_key, cells)):
        number = PARTICIPANT.fullmatch(key)
        yield from (((0, column), each) for each in (key, number["number"] if number else "") if each)
        if squeezed := "".join(filter(str.isalnum, key)):
            yield (2, column), squeezed
    for column, (one, other) in enumerate(pairwise(map(as_key, cells))):
        if one and other:
            yield from (((1, column), key) for key in (f"{one} {other}", f"{other} {one}", one + other, other + one))


def as_key(text: str) -> str:
    return " ".join(text.split()).casefold()


def read_roster(path: Path) -> Roster:
    """Return the roster in a CSV file with a row of titles. Raise a UsageError if it cannot be read, or lists nobody."""
    table = read_table(path)
    titles, below = table.titles, table.below.values()
    of_canvas = [as_key(title) for title in titles[:2]] == ["student", "id"]  # whose rows without a student hold settings
    rows = [row for row in below if not NO_STUDENT.fullmatch(row[0]) and not (of_canvas and not any(row[:2]))]
    names, others = names_in(titles, rows), other_names_in(titles, rows)
    named = [*zip((name or other for name, other in zip(names, others, strict=True)), rows, strict=True)]
    if not named:
        raise UsageError(_('The roster "{path}" lists no student: it needs a row of titles, and a row for each student.', path=path))
    times = Counter(name for name, _row in named)
    shared = frozenset(name for name, number in times.items() if number > 1)
    full = tuple(Row(f"{name} ({identifier(row)})" if name in shared else name, row) for name, row in named)
    return Roster(full, shared, names.count(""))


def names_in(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the name of the student in each row; "" if there is none."""
    known = [as_key(title) for title in titles]
    for first, last in HALVES:
        if first in known and last in known:
            return [printable_name(f"{cell(row, known.index(first))} {cell(row, known.index(last))}".strip()) for row in rows]
    column = next((known.index(title) for title in FULL_NAMES if title in known), None)
    column = column_of_names(rows) if column is None else column
    return [printable_name(cell(row, column)) for row in rows]


def other_names_in(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what stands for the name in a row without one: the next column that is known to tell a student, or the first text."""
    known = [as_key(title) for title in titles]
    columns = [known.index(title) for title in (*FULL_NAMES, *OTHER_NAMES) if title in known]
    return (printable_name(next(filter(None, (*(cell(row, column) for column in columns), *row)))) for row in rows)


def column_of_names(rows: Sequence[Sequence[str]]) -> int:
    """Return the first column that seems to hold names: words without "@", nearly all different. Without one, it is the first."""
    width = max(map(len, rows), default=0)
    return next((column for column in range(width) if are_names([cell(row, column) for row in rows])), 0)


def are_names(cells: Sequence[str]) -> bool:
    words = all(any(map(str.isalpha, each)) and "@" not in each and not PARTICIPANT.fullmatch(each) for each in cells)
    return words and len(set(cells)) >= MOSTLY * len(cells)


def cell(row: Sequence[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def identifier(row: Sequence[str]) -> str:
    """Return the number or the address that tells a student from others of the same name; else the whole row."""
    for each in row:
        if each.isdecimal() or "@" in each:
            return printable_name(each)
        if number := PARTICIPANT.fullmatch(each):
            return number["number"]
    return printable_name(" ".join(filter(None, row)))
