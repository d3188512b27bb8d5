"""The gradebook of a class: one SQLite file with every result, every mark that a person set, and all students."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from normgrade.classes.hand_ins import Mark, Override, Result, as_json
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.report.report import Outcome

OURS = 0x6E6F726D  # the application id of the file: "norm"
VERSION = 2  # of the tables
PATIENCE_S = 60.0  # for another process to finish writing
NEWEST = (  # the number of the result that counts for a row called "one"
    "SELECT number FROM results WHERE student = one.student AND exercise = one.exercise ORDER BY attempt DESC, number DESC LIMIT 1"
)
LARGE = ("source", "report")  # columns that the marks of all students do without


class Kind(NamedTuple):
    """A kind of column: its declaration in SQL, and the functions that bring a value into the database and back."""

    declared: str
    into: Callable[[Any], Any] = lambda value: value
    back: Callable[[Any], Any] = lambda value: value


KINDS: Mapping[str, Kind] = MappingProxyType(  # by the type of a field
    {
        "str": Kind("TEXT NOT NULL"),
        "int": Kind("INTEGER NOT NULL"),
        "float": Kind("REAL NOT NULL"),
        "float | None": Kind("REAL"),
        "bytes": Kind("BLOB NOT NULL"),
        "bool": Kind("INTEGER NOT NULL", int, bool),
        "Outcome": Kind("TEXT NOT NULL", lambda outcome: outcome.value, Outcome),
        "datetime": Kind("TEXT NOT NULL", lambda at: at.isoformat(timespec="milliseconds"), datetime.fromisoformat),
        "tuple[str, ...]": Kind("TEXT NOT NULL", as_json, lambda text: tuple(json.loads(text))),
        "Mapping[str, str]": Kind("TEXT NOT NULL", as_json, json.loads),
    }
)


TABLES: Mapping[type, str] = MappingProxyType({Result: "results", Override: "overrides"})
COLUMNS: Mapping[type, Mapping[str, Kind]] = MappingProxyType(  # by name: one for each field
    {kept: {field.name: KINDS[str(field.type)] for field in fields(kept)} for kept in (Result, Override)}
)
KEPT = TypeVar("KEPT", Result, Override)


def schema() -> Iterator[str]:
    """Yield the statements that create the tables."""
    yield "CREATE TABLE students (student TEXT PRIMARY KEY, id TEXT NOT NULL)"
    for kept, table in TABLES.items():
        declared = ", ".join(f"{name} {kind.declared}" for name, kind in COLUMNS[kept].items())
        yield f"CREATE TABLE {table} (number INTEGER PRIMARY KEY, {declared})"
    yield "CREATE INDEX results_of ON results (student, exercise)"
    yield f"PRAGMA application_id = {OURS}"
    yield f"PRAGMA user_version = {VERSION}"


def select(kept: type[Result] | type[Override], without: Collection[str] = ()) -> str:
    """Return the beginning of a query for a table; the columns `without` are read as empty bytes."""
    return f"SELECT {', '.join('zeroblob(0)' if name in without else name for name in COLUMNS[kept])} FROM {TABLES[kept]}"


def kept_in(kept: type[KEPT], row: Sequence[Any]) -> KEPT:
    """Return the object in a row."""
    return kept(*(kind.back(value) for kind, value in zip(COLUMNS[kept].values(), row, strict=True)))


def insert(database: sqlite3.Connection, kept: Result | Override) -> None:
    """Add a row to the table of such objects."""
    kinds = COLUMNS[type(kept)]
    say = f"INSERT INTO {TABLES[type(kept)]} ({', '.join(kinds)}) VALUES ({', '.join('?' * len(kinds))})"
    database.execute(say, [kind.into(getattr(kept, name)) for name, kind in kinds.items()])


class Gradebook:
    """A gradebook in a file, open. Every change is on the disk when the method returns, and two processes may write at once.

    Raise UsageError if the file is not a gradebook, or cannot be read or written.
    """

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path, self.database = path, database

    @classmethod
    @contextmanager
    def open(cls, path: Path, *, make: bool = False) -> Iterator[Self]:
        """Open the gradebook in a file. With `make`, a missing file is created, and the gradebook must be writable."""
        if not make and not path.is_file():
            raise UsageError(
                _('There is no gradebook "{path}". `normgrade grade PATH` makes one; --gradebook FILE names another.', path=path)
            )
        with usable(path), closing(connected(path)) as database:
            make_ready(path, database)
            gradebook = cls(path, database)
            if make:  # raises if nothing can be written
                with gradebook.changing():
                    database.execute(f"PRAGMA user_version = {VERSION}")
            yield gradebook

    # Writing

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction, which is written if nothing is raised."""
        with usable(self.path):
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield self.database
            except BaseException:
                self.database.execute("ROLLBACK")
                raise
            self.database.execute("COMMIT")

    def enrol(self, students: Mapping[str, str]) -> None:
        """Add students by name, each with its id. An id that is known already is kept if the new one is empty."""
        say = "INSERT INTO students VALUES (?, ?) ON CONFLICT (student) DO UPDATE SET id = coalesce(nullif(excluded.id, ''), id)"
        with self.changing() as database:
            database.executemany(say, students.items())

    def keep(self, results: Iterable[Result]) -> None:
        """Add results, all of them or none. An attempt with another file than the latest one gets the next number."""
        with self.changing() as database:
            for result in results:
                insert(database, replace(result, attempt=self.attempt_of(result)))

    def attempt_of(self, result: Result) -> int:
        """Return the number of the attempt of a result: that of the latest attempt if it is the same file, otherwise a larger one."""
        say = "SELECT attempt, digest FROM results WHERE student = ? AND exercise = ? ORDER BY attempt DESC, number DESC LIMIT 1"
        number, digest = self.database.execute(say, (result.student, result.exercise)).fetchone() or (0, "")
        return int(number) if digest == result.digest else max(number + 1, result.attempt)

    def override(self, override: Override) -> None:
        """Add a mark that a person set. It counts until another one is set, whatever is graded meanwhile."""
        with self.changing() as database:
            insert(database, override)

    def forget(self, student: str) -> int:
        """Delete everything about a student, and return the number of deleted results. Nothing of it stays in the file."""
        with usable(self.path):
            self.database.execute("PRAGMA secure_delete = ON")
        with self.changing() as database:
            deleted = database.execute("DELETE FROM results WHERE student = ?", (student,)).rowcount
            database.execute("DELETE FROM overrides WHERE student = ?", (student,))
            database.execute("DELETE FROM students WHERE student = ?", (student,))
        with usable(self.path):
            self.database.execute("VACUUM")
            self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return deleted

    # Reading

    def students(self) -> dict[str, str]:
        """Return the id of each student, by name, sorted by name."""
        with usable(self.path):
            return dict(self.database.execute("SELECT student, id FROM students ORDER BY student COLLATE NOCASE, student"))

    def results(self, student: str | None = None) -> Iterator[Result]:
        """Yield results, the oldest first: all of them, or those of a student."""
        where, given = ("", ()) if student is None else ("WHERE student = ?", (student,))
        with usable(self.path):
            for row in self.database.execute(f"{select(Result)} {where} ORDER BY number", given):
                yield kept_in(Result, row)

    def overrides(self) -> list[Override]:
        """Return all overrides, the oldest first."""
        with usable(self.path):
            return [kept_in(Override, row) for row in self.database.execute(f"{select(Override)} ORDER BY number")]

    def marks(self, student: str | None = None) -> dict[tuple[str, str], Mark]:
        """Return the marks by student and exercise. A pair without result and override has none.

        Those of one student have their sources and reports, which are large. Those of all students are without them.
        """
        found: dict[tuple[str, str], Mark] = {}
        given = () if student is None else (student,)
        large, of_one = (LARGE, "") if student is None else ((), " AND student = ?")
        say = f"{select(Result, without=large)} AS one WHERE number = ({NEWEST}){of_one} ORDER BY student COLLATE NOCASE, student, exercise"
        with usable(self.path):
            for row in self.database.execute(say, given):
                result = kept_in(Result, row)
                found[result.student, result.exercise] = Mark(result.student, result.exercise, result)
        for override in (each for each in self.overrides() if student in (None, each.student)):
            key = override.student, override.exercise
            mark = found.get(key, Mark(*key, None))
            found[key] = replace(mark, override=None if override.points is None else override)
        return {key: mark for key, mark in found.items() if mark.result is not None or mark.override is not None}

    def exercises(self) -> set[str]:
        """Return the slugs of the exercises with a result or an override."""
        with usable(self.path):
            rows = self.database.execute("SELECT exercise FROM results UNION SELECT exercise FROM overrides WHERE points IS NOT NULL")
            return {slug for (slug,) in rows}

    def former_points(self, result: Result) -> int:
        """Return the points of the same file before it was graded for the last time; those of the result if it was graded once."""
        say = "SELECT earned FROM results WHERE student = ? AND exercise = ? AND digest = ? ORDER BY number DESC LIMIT 2"
        with usable(self.path):
            earned: list[int] = [points for (points,) in self.database.execute(say, (result.student, result.exercise, result.digest))]
        return earned[-1]


def connected(path: Path) -> sqlite3.Connection:
    """Return a connection to the file. Raise OSError if it is no regular file."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    writable = os.access(path.parent, os.W_OK)  # if not, no other process writes there, and SQLite needs no files beside this one
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{'mode=rwc' if writable else 'immutable=1'}", timeout=PATIENCE_S, isolation_level=None, uri=True
    )


def make_ready(path: Path, database: sqlite3.Connection) -> None:
    """Check that the tables are normgrade's, and create them in a new file."""
    [ours], [version] = (database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    if (ours, version) == (0, 0):
        create(path, database)
    elif ours != OURS:
        raise not_a_gradebook(path)
    elif version > VERSION:
        raise UsageError(
            _(
                '"{path}" was written by a newer normgrade (version {version}). Update normgrade, or move the file away.',
                path=path,
                version=version,
            )
        )
    database.execute("PRAGMA synchronous = FULL")


def create(path: Path, database: sqlite3.Connection) -> None:
    """Create the tables in an empty file, unless another process does so at this moment."""
    if database.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,):
        raise not_a_gradebook(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("BEGIN IMMEDIATE")
    if database.execute("PRAGMA application_id").fetchone() == (0,):
        for statement in schema():
            database.execute(statement)
    database.execute("COMMIT")


def not_a_gradebook(path: Path) -> UsageError:
    return UsageError(_('"{path}" is not a gradebook of normgrade. Use --gradebook FILE to choose another file.', path=path))


@contextmanager
def usable(path: Path) -> Iterator[None]:
    """Raise a UsageError for every error of the system or of SQLite. All that was kept before stays."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, sqlite3.DatabaseError) and error.sqlite_errorname == "SQLITE_NOTADB":
            raise not_a_gradebook(path) from error
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            _(
                'The gradebook "{path}" cannot be read or written ({error}). Make room or give the rights, and run the command again: '
                "nothing that was kept is lost.",
                path=path,
                error=why,
            )
        ) from error
