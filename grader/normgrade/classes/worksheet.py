"""Marks filled into a file that a teacher downloaded: Moodle's worksheet for grading offline, or the gradebook of Canvas."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from normgrade.classes.csv_files import Marks, Table, points_of, possible_points, read_table
from normgrade.classes.hand_ins import Mark
from normgrade.classes.layouts import IN_MOODLE
from normgrade.classes.students import NO_STUDENT, as_key
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.language.visible import visible_name

PARTICIPANT = re.compile(r"(?P<word>\D+)(?P<number>\d+)")  # "Participant 123" of Moodle, in the language of the site
GRADES = frozenset(  # Moodle's title of the column with the grade, in the languages of sites
    (
        *("grade", "bewertung", "note", "calificación", "qualificació", "nota", "valutazione", "classificação", "cijfer", "ocena"),
        *("оценка", "评分", "成绩", "成績", "評点", "성적"),
    )
)
MODIFIED = {"grade": "last modified (grade)"}  # a column without which Moodle refuses the file, where its title is known
ASSIGNMENT = re.compile(r"(?P<title>.+) \((?P<number>\d+)\)", re.DOTALL)  # a title of Canvas
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
GROUPED = re.compile(r"[1-9]\d{0,2}(?:(?P<by>[.,'’ \u00a0\u202f])\d{3})(?:(?P=by)\d{3})*(?P<rest>[.,]\d+)?")  # "1,020.00"
WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The marks that are wanted, and where.

    exercise: the slug of the only exercise to fill in; None for all that have a column.
    total: true for the sum of all exercises in one column.
    columns: "SLUG=TITLE", or a title.
    scale: true if points may be converted to another maximum.
    """

    exercise: str | None = None
    total: bool = False
    columns: tuple[str, ...] = ()
    scale: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """A file with marks.

    students: the number of students whose marks are in it.
    without_row: the students with a mark who have no row.
    without_mark: the names in the rows that were left as they were.
    without_column: the exercises that have no column.
    """

    table: Table
    students: int
    without_row: tuple[str, ...]
    without_mark: tuple[str, ...]
    without_column: tuple[str, ...]


@dataclass(frozen=True)
class Worksheet:
    """A downloaded file.

    identifier: the column that identifies students.
    numbers: the identifying number of each student, by row.
    is_moodle: true for Moodle's, false for that of Canvas.
    """

    table: Table
    identifier: int
    numbers: Mapping[int, str]
    is_moodle: bool

    @cached_property
    def rows_by_number(self) -> Mapping[str, int]:
        """The row of each number. A number in several rows has none."""
        times = Counter(self.numbers.values())
        return {number: row for row, number in self.numbers.items() if times[number] == 1}

    @cached_property
    def rows_by_name(self) -> Mapping[str, int]:
        """The row of each name, for every way to write it. A name in several rows has none."""
        found: dict[str, set[int]] = defaultdict(set)
        for row in self.numbers:
            for key in self.names_in(row):
                found[key].add(row)
        return {key: min(rows) for key, rows in found.items() if len(rows) == 1}

    def names_in(self, row: int) -> Iterator[str]:
        """Yield the texts of a row that may be the student's name."""
        values = self.table.below[row]
        cells = [value for column, value in enumerate(values) if column != self.identifier] if self.is_moodle else values[:1]
        for cell in cells:
            yield from keys_of(cell)

    def called(self, row: int) -> str:
        """Return how the row names its student."""
        values = self.table.below[row]
        named = [values[self.identifier]] if self.is_moodle else []
        return visible_name(", ".join(filter(None, (*named, *values[self.is_moodle : self.is_moodle + 1]))))


def keys_of(name: str) -> Iterator[str]:
    """Yield the keys of a name: itself, and "Li, Anna" and "lianna", as Canvas writes it, for the other order."""
    key = as_key(name)
    if len(squeezed := WORDS.sub("", key)) > 2 and not squeezed.isdecimal():
        yield squeezed
        last, comma, first = key.partition(",")
        if comma:
            yield WORDS.sub("", first + last)


def read_worksheet(path: Path) -> Worksheet:
    """Return the file of Moodle or Canvas. Raise a UsageError if it is neither."""
    table = read_table(path)
    titles = [as_key(title) for title in table.titles]
    if len(titles) > 2 and "student" in titles[0] and titles[1] == "id":
        students = {number: row[1] for number, row in table.below.items() if row[1] and not NO_STUDENT.fullmatch(row[0])}
        return Worksheet(table, 1, students, is_moodle=False)
    for column in range(len(titles)):
        found = [PARTICIPANT.fullmatch(value) for value in table.column(column)]
        words = {each["word"] if each else "" for each in found}
        if len(words) == 1 and any(map(str.isalpha, words.pop())):
            numbers = [each["number"] for each in found if each]
            return Worksheet(table, column, dict(zip(table.below, numbers, strict=True)), is_moodle=True)
    raise UsageError(
        _(
            '"{path}" is neither a worksheet of Moodle, which has a column such as "Participant 12345", nor a gradebook of Canvas, '
            'which begins with "Student" and "ID". Pass the file as it was downloaded.',
            path=path,
        )
    )


def columns_of(worksheet: Worksheet, wanted: Wanted, slugs: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Return the exercises whose points belong into each column. Raise a UsageError if that is not certain."""
    chosen = [wanted.exercise] if wanted.exercise is not None else [*slugs]
    if missing := [slug for slug in chosen if slug not in slugs]:
        meant, known = did_you_mean(missing[0], slugs), ", ".join(slugs)
        raise UsageError(
            _('No exercise "{slug}" has a mark.{meant} These have: {known}.', slug=missing[0], meant=meant, known=known or _("none"))
        )
    named = dict(titled(each, slugs) for each in wanted.columns)
    if len(named) < len(wanted.columns) or (None in named and len(chosen) > 1 and not wanted.total):
        raise UsageError(_("--column needs SLUG=TITLE here, with one of these exercises: {known}.", known=", ".join(slugs)))
    if worksheet.is_moodle or wanted.total:
        return {one_column(worksheet, named, wanted): one_sum(worksheet, named, wanted, chosen)}
    found = {slug: column for slug in chosen if (column := column_of(worksheet, slug, named.get(slug, named.get(None)))) is not None}
    if not found:
        raise no_column(worksheet)
    return {column: (slug,) for slug, column in found.items()}


def titled(text: str, slugs: Sequence[str]) -> tuple[str | None, str]:
    """Return the slug and the title in "SLUG=TITLE"; no slug if the text is a title only."""
    slug, equals, title = text.partition("=")
    return (slug, title) if equals and slug in slugs else (None, text)


def one_column(worksheet: Worksheet, named: Mapping[str | None, str], wanted: Wanted) -> int:
    """Return the only column for marks."""
    if len(named) > 1:
        raise UsageError(_("Only one column can be filled in here: use --column once."))
    for title in named.values():
        return titled_column(worksheet, title)
    titles = [as_key(title) for title in worksheet.table.titles]
    found = [number for number, title in enumerate(titles) if title in GRADES]
    if not worksheet.is_moodle or len(found) != 1:
        raise no_column(worksheet)
    modified = MODIFIED.get(titles[found[0]])
    if modified is not None and modified not in titles:
        raise UsageError(
            _(
                '"{path}" has no column "Last modified (grade)", and Moodle refuses it without. Download the worksheet once more.',
                path=worksheet.table.path,
            )
        )
    return found[0]


def one_sum(worksheet: Worksheet, named: Mapping[str | None, str], wanted: Wanted, chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the exercises whose points are added up: one, or all with --total."""
    slugs = [slug for slug in named if slug is not None] or [*chosen]
    if len(slugs) == 1 or wanted.total:
        return tuple(chosen) if wanted.total else tuple(slugs)
    raise UsageError(
        _(
            '"{path}" has one column for grades, and there are {n} exercises: {known}. Choose one with --exercise SLUG, or their sum with '
            "--total.",
            path=worksheet.table.path,
            n=len(slugs),
            known=", ".join(slugs),
        )
    )


def column_of(worksheet: Worksheet, slug: str, title: str | None) -> int | None:
    """Return the column of an exercise in Canvas: the one with the title, or the one whose title is like the slug."""
    if title is not None:
        return titled_column(worksheet, title)
    alike = [number for number, each in enumerate(worksheet.table.titles) if slug_of(each) == slug]
    if len(alike) > 1:
        titles = listed_titles([worksheet.table.titles[number] for number in alike])
        raise UsageError(
            _('Several columns may be for {slug}: {titles}. Choose one with --column {slug}="TITLE".', slug=slug, titles=titles)
        )
    return next(iter(alike), None)


def listed_titles(titles: Sequence[str]) -> str:
    """Return titles for a message."""
    return ", ".join(f'"{title}"' for title in titles if title)


def slug_of(title: str) -> str:
    """Return what a title of Canvas would be as a slug; "" if it is no assignment's.

    >>> slug_of("Layer-Norm (4711)")
    'layer_norm'
    """
    found = ASSIGNMENT.fullmatch(title)
    return WORDS.sub("_", found["title"].casefold()).strip("_") if found else ""


def titled_column(worksheet: Worksheet, title: str) -> int:
    """Return the column with a title. Raise a UsageError if there is none, or if there are several."""
    found = [number for number, each in enumerate(worksheet.table.titles) if as_key(each) == as_key(title)]
    if len(found) == 1 and found[0] != worksheet.identifier:
        return found[0]
    said = _('"{path}" has {n} columns "{title}". ', path=worksheet.table.path, n=len(found), title=title)
    raise UsageError(said + known_columns(worksheet))


def no_column(worksheet: Worksheet) -> UsageError:
    return UsageError(_('No column of "{path}" is known to be for the marks. ', path=worksheet.table.path) + known_columns(worksheet))


def known_columns(worksheet: Worksheet) -> str:
    example = "--column TITLE" if worksheet.is_moodle else '--column SLUG="TITLE"'
    return _("Choose one of its columns with {option}: {titles}.", option=example, titles=listed_titles(worksheet.table.titles))


# Filling in


def filled(worksheet: Worksheet, students: Mapping[str, str], marks: Marks, wanted: Wanted) -> Filled:
    """Return the file with the marks of everybody who has a row. Raise a UsageError if a column has another maximum of points."""
    slugs = sorted({slug for _student, slug in marks})
    columns = columns_of(worksheet, wanted, slugs)
    values: dict[tuple[int, int], str] = {}
    marked, rows = set[str](), dict[str, int]()
    for column, summed in columns.items():
        factor = factor_of(worksheet, column, possible_points(marks, summed), wanted)
        found = {student: [each for each in points_of(student, marks, summed) if each is not None] for student in students}
        points = {student: sum(each) for student, each in found.items() if each}
        rows |= rows_of(worksheet, students, marks, summed)
        decimal_comma = has_decimal_commas(worksheet, column)
        values |= {
            (rows[student], column): as_number(value * factor, decimal_comma) for student, value in points.items() if student in rows
        }
        marked |= points.keys()
    done = {row for row, _column in values}
    return Filled(
        worksheet.table.with_values(values),
        len(done),
        tuple(student for student in students if student in marked and student not in rows),
        tuple(worksheet.called(row) for row in worksheet.numbers if row not in done),
        tuple(slug for slug in slugs if wanted.exercise is None and not any(slug in each for each in columns.values())),
    )


def rows_of(worksheet: Worksheet, students: Mapping[str, str], marks: Marks, slugs: Sequence[str]) -> dict[str, int]:
    """Return the row of each student: by number, and for the rest by name. No row is that of two students.

    A number does not count against a name: it may be that of another system.
    """
    named = [(student, row) for student in students for key in keys_of(student) if (row := worksheet.rows_by_name.get(key)) is not None]
    by_name = dict(only_once(named))
    owners: dict[int, set[str]] = defaultdict(set)
    for student, row in named:
        owners[row].add(student)
    numbered = [
        (student, row)
        for student, number in students.items()
        for each in numbers_of(student, number, marks, slugs)
        if (row := worksheet.rows_by_number.get(each)) is not None
    ]
    found = dict(only_once([(who, row) for who, row in numbered if who in owners.get(row, {who}) and by_name.get(who, row) == row]))
    taken = {*found.values()}
    return found | dict(only_once([(student, row) for student, row in named if student not in found and row not in taken]))


def numbers_of(student: str, number: str, marks: Marks, slugs: Sequence[str]) -> set[str]:
    """Return the numbers of a student. In Moodle each assignment has its own, which the folder of the hand-in tells."""
    return {number, *(number_in(marks.get((student, slug))) for slug in slugs)} - {""}


def number_in(mark: Mark | None) -> str:
    folder = "" if mark is None or mark.result is None else mark.result.folder
    return folder.removesuffix(IN_MOODLE).rpartition("_")[2]


def only_once(pairs: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield the pairs of student and row in which neither occurs with another partner."""
    distinct = set(pairs)
    students, rows = Counter(student for student, _row in distinct), Counter(row for _student, row in distinct)
    return ((student, row) for student, row in distinct if students[student] == rows[row] == 1)


def factor_of(worksheet: Worksheet, column: int, possible: Mapping[str, int], wanted: Wanted) -> float:
    """Return the factor for the points of a column: 1, or with --scale the ratio of its maximum and the possible points."""
    most, whole = maximum_of(worksheet, column), sum(possible.values())
    if most is None or most == whole or not whole:
        return 1.0
    if wanted.scale:
        return most / whole
    raise UsageError(
        _(
            'The maximum in "{path}" is {most:g}, and {slugs} gives {possible} points. Use --scale to convert the points, or change the '
            "maximum there.",
            path=worksheet.table.path,
            most=most,
            slugs=" + ".join(possible),
            possible=whole,
        )
    )


def maximum_of(worksheet: Worksheet, column: int) -> float | None:
    """Return the largest points that a column takes; None if the file does not tell it.

    Moodle has a column for it to the right of the grade, in which all cells are the same; Canvas has a row.
    """
    below = worksheet.table.below
    beside = {row[column + 1] for row in below.values() if column + 1 < len(row)}
    above = {row[column] for row in below.values() if not row[worksheet.identifier] and row[column][:1].isdecimal()}
    cells = beside if worksheet.is_moodle else above
    return number_from(cells.pop(), worksheet) if len(cells) == 1 else None


def number_from(cell: str, worksheet: Worksheet) -> float | None:
    """Return the number in a cell; None if it does not begin with a digit. Raise a UsageError if it is not certain which number it is."""
    grouped = GROUPED.fullmatch(cell)
    if grouped and (grouped["by"] not in ".," or grouped["rest"] or cell.count(grouped["by"]) > 1):
        whole, rest = cell.removesuffix(grouped["rest"] or ""), grouped["rest"] or ""
        if rest[:1] != grouped["by"]:
            return float(whole.replace(grouped["by"], "") + rest.replace(",", "."))
    elif NUMBER.fullmatch(cell) and not grouped:
        return float(cell.replace(",", "."))
    if not cell[:1].isdecimal() or (worksheet.is_moodle and any(map(str.isalpha, cell))):
        return None
    said = _('It is not certain which number the maximum "{cell}" in "{path}" is: use digits only.', cell=cell, path=worksheet.table.path)
    raise UsageError(said)


def has_decimal_commas(worksheet: Worksheet, column: int) -> bool:
    """Return True if the file writes numbers with a decimal comma: in this column or beside it, or as its delimiter tells."""
    cells = {cell for each in (column, column + 1) if each < len(worksheet.table.titles) for cell in worksheet.table.column(each)}
    return worksheet.table.delimiter == ";" or any("," in cell and NUMBER.fullmatch(cell) and not GROUPED.fullmatch(cell) for cell in cells)


def as_number(value: float, decimal_comma: bool) -> str:
    """Return points with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if decimal_comma else text
