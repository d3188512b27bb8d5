"""CSV files: those of other systems, with other values in some cells; and marks, for spreadsheets and for the gradebook of Canvas."""

from __future__ import annotations

import csv
import io
import re
import secrets
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import Path

from normgrade.classes.hand_ins import Mark
from normgrade.course.files import TooLarge, read_plain
from normgrade.language import _
from normgrade.language.errors import UsageError

LIMIT_BYTES = 32 * 1024**2
DELIMITERS = ",;\t"
WITH_BOM = "utf-8-sig"  # Excel reads a file that begins with a byte order mark as UTF-8
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class Table:
    """The rows of a CSV file, and how it is written. The first row that has a text holds the titles."""

    path: Path
    rows: tuple[tuple[str, ...], ...]
    delimiter: str
    encoding: str

    @cached_property
    def first(self) -> int:
        """The number of the row of titles."""
        return next((number for number, row in enumerate(self.rows) if any(map(str.strip, row)) and not names_delimiter(row)), 0)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        return tuple(map(str.strip, self.rows[self.first])) if self.rows else ()

    @cached_property
    def below(self) -> Mapping[int, tuple[str, ...]]:
        """The values of the rows below the titles, by the number of the row, at least as wide as the titles. Empty rows are left out."""
        found = {number: tuple(map(str.strip, row)) for number, row in enumerate(self.rows) if number > self.first}
        return {number: (*row, *[""] * (len(self.titles) - len(row))) for number, row in found.items() if any(row)}

    def column(self, number: int) -> list[str]:
        """Return the values of a column below its title."""
        return [row[number] for row in self.below.values()]

    def with_values(self, values: Mapping[tuple[int, int], str]) -> Table:
        """Return the table with other values in some cells, by the numbers of row and column."""
        rows = [list(row) for row in self.rows]
        for (row, column), value in values.items():
            rows[row] += [""] * (column + 1 - len(rows[row]))
            rows[row][column] = value
        return replace(self, rows=tuple(map(tuple, rows)))

    def as_bytes(self, with_bom: bool = False) -> bytes:
        """Return the file, with a byte order mark if it had one or should have one. Only cells that have to be are quoted."""
        text = StringIO(newline="")
        csv.writer(text, delimiter=self.delimiter).writerows(self.rows)
        return text.getvalue().encode(WITH_BOM if with_bom else self.encoding)


def read_table(path: Path) -> Table:
    """Return the rows of a CSV file in UTF-8 or Latin-1. Raise a UsageError if it cannot be read."""
    try:
        content = read_plain(path.resolve(), LIMIT_BYTES)
    except TooLarge as error:
        raise UsageError(_('"{path}" is larger than 32 MiB: pass a CSV file with a row for each student.', path=path)) from error
    except OSError as error:
        raise UsageError(_('"{path}" cannot be read ({why}): pass the path of a CSV file.', path=path, why=error.strerror)) from error
    if b"\0" in content:
        raise not_csv(path, _("it has NUL bytes"))
    text, encoding = decoded(content)
    delimiter = delimiter_of(text)
    try:
        rows = tuple(map(tuple, csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)))
    except csv.Error as error:
        raise not_csv(path, str(error)) from error
    return Table(path, rows, delimiter, encoding)


def decoded(content: bytes) -> tuple[str, str]:
    """Return the text without a byte order mark, and its encoding."""
    encoding = WITH_BOM if content.startswith(BOM_UTF8) else "utf-8"
    try:
        return content.decode(encoding), encoding
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def delimiter_of(text: str) -> str:
    """Return the sign that separates the titles."""
    first = next(filter(str.strip, QUOTED.sub("", text).splitlines()), "")
    return max(DELIMITERS, key=first.count)


def names_delimiter(row: Sequence[str]) -> bool:
    """Return True for the line "sep=;", which tells Excel the delimiter, and is no row of titles."""
    return row[0].casefold().startswith("sep=") and not any(row[1:])


def not_csv(path: Path, why: str) -> UsageError:
    said = _('"{path}" is not CSV ({why}): pass the file as it was downloaded, or save it as CSV in UTF-8.', path=path, why=why)
    return UsageError(said)


# Marks


Marks = Mapping[tuple[str, str], Mark]
FORMULA = re.compile(r"(^|[;,\t\r\n])(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r\n])")  # where a spreadsheet would begin to compute, or to separate


def plain_csv(students: Mapping[str, str], marks: Marks, slugs: Sequence[str]) -> str:
    """Return a row for each student: name, id, the points of each exercise, their sum, the possible points, and the share in percent.

    An exercise without a mark is an empty cell, and counts as no points. The last cell names the exercises that came late.
    """
    possible = possible_points(marks, slugs)
    whole = sum(possible.values())

    def rows() -> Iterator[Sequence[object]]:
        yield ["student", "id", *slugs, "total", "possible", "percent", "late"]
        for student, id in students.items():
            points = points_of(student, marks, slugs)
            total = sum(each for each in points if each is not None)
            share = round(100 * total / whole, 2) if whole else 0
            late = " ".join(slug for slug in slugs if (mark := marks.get((student, slug))) and mark.late)
            yield [student, id, *map(cell, points), cell(total), whole, cell(share), late]

    return written(rows())


def canvas_csv(students: Mapping[str, str], marks: Marks, titles: Mapping[str, str]) -> str:
    """Return the marks as Canvas imports them. `titles` are those of its assignments, by slug: Canvas makes new ones for unknown titles."""
    slugs = [*titles]
    possible = possible_points(marks, slugs)

    def rows() -> Iterator[Sequence[object]]:
        yield ["Student", "ID", "SIS Login ID", "Section", *titles.values()]
        yield ["    Points Possible", "", "", "", *(possible[slug] for slug in slugs)]
        for student, id in students.items():
            yield [student, id, "", "", *map(cell, points_of(student, marks, slugs))]

    return written(rows())


def possible_points(marks: Marks, slugs: Sequence[str]) -> dict[str, int]:
    """Return the possible points of each exercise, as the last result has them; 0 without any result."""
    found = dict.fromkeys(slugs, 0)
    for mark in marks.values():
        if mark.result is not None and mark.exercise in found:
            found[mark.exercise] = max(found[mark.exercise], mark.result.possible)
    return found


def points_of(student: str, marks: Marks, slugs: Sequence[str]) -> list[float | None]:
    """Return the points of a student at each exercise; None without a mark."""
    found = (marks.get((student, slug)) for slug in slugs)
    return [None if mark is None else mark.points for mark in found]


def cell(value: float | None) -> object:
    """Return a number without needless decimals; an empty text for none."""
    return "" if value is None else int(value) if value == int(value) else value


def written(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, with quoted texts. An apostrophe stands before all that a spreadsheet would compute."""
    held = io.StringIO()
    csv.writer(held, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC).writerows([*map(defused, row)] for row in rows)
    return held.getvalue()


def defused(value: object) -> object:
    """Return a text that no spreadsheet takes for a formula, whatever separates its cells; another value as it is."""
    return FORMULA.sub(lambda found: f"{found[1] or ''}'", value) if isinstance(value, str) else value


def anonymous(students: Mapping[str, str], marks: Marks) -> tuple[Mapping[str, str], Marks]:
    """Return students and marks with numbers in place of names and ids, in an order that tells nothing."""
    shuffled = [*students]
    secrets.SystemRandom().shuffle(shuffled)
    called = {student: f"{number:0{len(str(len(shuffled)))}d}" for number, student in enumerate(shuffled, 1)}
    hidden = {
        (called[student], slug): replace(mark, student=called[student]) for (student, slug), mark in marks.items() if student in called
    }
    return dict.fromkeys(called.values(), ""), hidden
