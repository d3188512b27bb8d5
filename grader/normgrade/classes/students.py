"""The students of a class: names that nobody shares, those that a listing of Gradescope tells, and the roster."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from normgrade.classes.csv_files import read_table
from normgrade.classes.hand_ins import HandIn, LeftOut, printable_name
from normgrade.language import _
from normgrade.language.errors import UsageError

HIDDEN = "Participant"  # Moodle's name of everybody, if names are hidden from graders
LISTING = "submission_metadata.yml"  # lies beside the folders of all submissions


def names_of(hand_ins: Iterable[HandIn], shared: Collection[str] = ()) -> Mapping[tuple[str, str], str]:
    """Return the printable name of each student, by name and id: with the id if several have the name.

    `shared` are names that are known to be.
    """
    everybody = sorted({(each.student, each.id, each.among) for each in hand_ins})
    ids: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, number, among in everybody:
        ids[name, among].add(number)
    several = {name for (name, _among), found in ids.items() if len(found) > 1} | {HIDDEN}
    taken = {printable_name(name) for name, _number, _among in everybody}
    named: dict[tuple[str, str], str] = {}
    for name, number in dict.fromkeys(each[:2] for each in everybody):
        is_shared = name in several or printable_name(name) in shared
        named[name, number] = with_id(name, number, taken) if number and is_shared else printable_name(name)
        taken.add(named[name, number])
    return named


def with_id(name: str, number: str, taken: Collection[str]) -> str:
    """Return the name with the number, twice if somebody else is called so."""
    added = f" {number}" if name == HIDDEN else f" ({number})"
    full = printable_name(name + added)
    while full in taken:
        full += printable_name(added)
    return full


# The listing beside the submissions of Gradescope


class Submitter(NamedTuple):
    """One of the students of a submission. An id or an address that the listing does not tell is ""."""

    name: str
    id: str = ""
    email: str = ""


def submitters_in(listings: Mapping[str, bytes]) -> tuple[Mapping[str, tuple[Submitter, ...]], list[LeftOut]]:
    """Return the students of submissions, by the path of their folder, and the listings that could not be read.

    The listings are given by the path of the folder that each lies in.
    """
    read = {folder: submitters(content) for folder, content in listings.items()}
    left_out = [LeftOut(printable_name(f"{folder}/{LISTING}"), found) for folder, found in read.items() if isinstance(found, str)]
    told = {f"{folder}/{name}": those for folder, found in read.items() if not isinstance(found, str) for name, those in found.items()}
    return told, left_out


def submitters(listing: bytes) -> dict[str, tuple[Submitter, ...]] | str:
    """Return the students of each submission, by its name, or the reason in a sentence why they are not known."""
    try:
        import yaml  # only with the extra `classes`
    except ModuleNotFoundError:
        return _("It tells the names of the students, and PyYAML is needed to read it: `pip install 'normgrade[classes]'`.")

    class Plain(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """A loader that takes an object of Ruby for the plain data in it."""

    Plain.add_multi_constructor("!", plain)
    try:
        found = yaml.load(listing, Plain)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return _("It is damaged, so the students have no names: download it from Gradescope again.")
    return {str(name): those_of(entry) for name, entry in found.items()}


def plain(loader: Any, _suffix: str, node: Any) -> Any:
    if node.id == "scalar":
        return loader.construct_scalar(node)
    return loader.construct_sequence(node, deep=True) if node.id == "sequence" else loader.construct_mapping(node, deep=True)


def those_of(entry: Any) -> tuple[Submitter, ...]:
    """Return the students of one entry, as far as it has the usual form."""
    found = entry.get(":submitters") if isinstance(entry, dict) else None
    people = [person for person in found if isinstance(person, dict)] if isinstance(found, list) else []
    told = [[str(person.get(key) or "").strip() for key in (":name", ":sid", ":email")] for person in people]
    return tuple(Submitter(name or email or number, number or email, email) for name, number, email in told if name or email or number)


# The roster: a list of students in CSV, from a learning management system or made by hand


FULL_NAMES = ("full name", "student", "student name", "name", "姓名")  # titles, the surest first
OTHER_NAMES = ("identifier", "github_username", "username", "login", "email")  # titles, for a row without a name
HALVES = (("first name", "last name"), ("first name", "surname"), ("first_name", "last_name"), ("given name", "family name"))
NUMBERED = re.compile(r"\D+ (?P<number>\d+)")  # "Participant 123" of Moodle, in the language of the site
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
        number = NUMBERED.fullmatch(key)
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
    words = all(any(map(str.isalpha, each)) and "@" not in each and not NUMBERED.fullmatch(each) for each in cells)
    return words and len(set(cells)) >= MOSTLY * len(cells)


def cell(row: Sequence[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def identifier(row: Sequence[str]) -> str:
    """Return the number or the address that tells a student from others of the same name; else the whole row."""
    for each in row:
        if each.isdecimal() or "@" in each:
            return printable_name(each)
        if number := NUMBERED.fullmatch(each):
            return number["number"]
    return printable_name(" ".join(filter(None, row)))
