"""A learner's attempts, the hints that were given, interviews and reviews, in an SQLite file of the workspace."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from normgrade.course.files import lock, own_folder, read_plain, write_whole
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible
from normgrade.report.report import Check, Outcome, Report

VERSION = 1  # of the tables
PATIENCE_S = 5.0  # for another command to finish writing
LARGEST_BYTES = 64 * 1024**2
# The exceptions that reading a row of another program may raise.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, MemoryError)
SCHEMA = """
CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    exercise TEXT NOT NULL,
    outcome TEXT NOT NULL,
    earned INTEGER NOT NULL,
    possible INTEGER NOT NULL,
    diagnoses TEXT NOT NULL,
    failed TEXT NOT NULL,
    hint TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE INDEX attempts_of ON attempts (exercise);
CREATE TABLE hints (exercise TEXT NOT NULL, hint TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (exercise, hint));
CREATE TABLE interviews (number INTEGER PRIMARY KEY, told TEXT NOT NULL);
CREATE TABLE reviews (number INTEGER PRIMARY KEY, at TEXT NOT NULL, exercise TEXT NOT NULL, mistake TEXT NOT NULL, knew INTEGER NOT NULL);
"""
COLUMNS = "at, exercise, outcome, earned, possible, diagnoses, failed, hint, digest"
INSERT_ATTEMPT = f"INSERT INTO attempts ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
DELETE_SAME = """
DELETE FROM attempts WHERE number = (SELECT max(number) FROM attempts WHERE exercise = ?)
AND digest = ? AND digest != '' AND (outcome != 'passed' OR ?)
"""
INSERT_HINT = "INSERT OR IGNORE INTO hints (exercise, hint, at) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One graded save of one file.

    `diagnoses` are names of mistakes. `failed` is the first test that failed, without its parameters, and `hint` is that check's hint in
    the language of that time; both are empty if there is no hint. `digest` is the file's SHA-256.
    """

    at: datetime
    exercise: str
    outcome: Outcome
    earned: int
    possible: int
    diagnoses: tuple[str, ...] = ()
    failed: str = ""
    hint: str = ""
    digest: str = ""

    @classmethod
    def of(cls, report: Report, at: datetime) -> Attempt:
        """Return the attempt that a report describes, made at this time."""
        mistakes = tuple(dict.fromkeys(mistake for diagnosis in report.diagnoses[:1] for mistake in diagnosis.mistakes))
        hinted = first_hinted(report)
        failed, hint = ("", "") if hinted is None else (hinted.name.partition("[")[0], hinted.hint)
        return cls(at, report.exercise, report.outcome, report.earned, report.possible, mistakes, failed, hint, report.digest)

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


def first_hinted(report: Report) -> Check | None:
    """Return the first deciding check that failed, if it has a hint. If the course does not reveal hints, there is none."""
    first = next((check for check in report.checks if check.decides), None)
    return first if first is not None and first.hint else None


@dataclass(frozen=True)
class Attempts:
    """Attempts and given hints, in a file. If the file cannot be read or written, a UsageError gives the reason; nothing in it is lost."""

    path: Path

    def add(self, attempts: Sequence[Attempt]) -> None:
        """Add these attempts, all of them or none. One at the same file as the last replaces it, unless only the last has passed."""
        with self.changing() as database:
            for attempt in attempts:
                database.execute(DELETE_SAME, (attempt.exercise, attempt.digest, attempt.passed))
                database.execute(INSERT_ATTEMPT, to_row(attempt))

    def attempts(self, exercise: str | None = None) -> list[Attempt]:
        """Return all attempts, or those at one exercise, the oldest first."""
        where, values = ("WHERE exercise = ?", (exercise,)) if exercise is not None else ("", ())
        with self.reading() as database:
            return list(map(from_row, database.execute(f"SELECT {COLUMNS} FROM attempts {where} ORDER BY number", values)))

    def give(self, exercise: str, hints: Sequence[str], at: datetime) -> None:
        """Record that hints were given, by their identities."""
        rows = [(exercise, hint, at.astimezone(UTC).isoformat()) for hint in hints]
        with self.changing() as database:
            database.executemany(INSERT_HINT, rows)

    def given(self, exercise: str) -> set[str]:
        """Return the identities of the hints that were given."""
        with self.reading() as database:
            return {hint for (hint,) in database.execute("SELECT hint FROM hints WHERE exercise = ?", (exercise,))}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open the database in memory.

        SQLite never opens the file: a link, a pipe or a journal there could make it read or change other files.
        """
        with self.usable(), closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            if os.path.lexists(self.path):
                own_folder(self.path.parent)  # refuses a link; it makes no folder here, because the folder exists
                if content := read_plain(self.path, LARGEST_BYTES):  # an empty file is an empty database
                    refuse_log(content)
                    database.deserialize(content)
            self.make_ready(database)
            yield database

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """Open the database, and write it back as a whole if nothing was raised. Other commands wait until then."""
        with self.usable():
            own_folder(self.path.parent)
            with locked(self.path.with_name("lock")), self.reading() as database:
                yield database
                write_whole(self.path, database.serialize())

    @contextmanager
    def usable(self) -> Iterator[None]:
        """Raise a UsageError for every error of a broken file."""
        try:
            yield
        except OSError as error:
            raise self.unusable(error.strerror or str(error)) from error
        except (sqlite3.Error, *UNREADABLE) as error:
            raise self.unusable(str(error) or type(error).__name__) from error

    def make_ready(self, database: sqlite3.Connection) -> None:
        """Check that the tables are normgrade's, and create them in a new database."""
        [version] = database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise UsageError(
                _(
                    '"{path}" was written by a newer normgrade (version {version}). Update normgrade, or move the file away.',
                    path=self.path,
                    version=version,
                )
            )
        if version == 0:
            database.executescript(f"{SCHEMA} PRAGMA user_version = {VERSION}")
        if schema_of(database) != own_schema(SCHEMA):  # a view in place of a table may compute for ever
            raise ValueError(_("its tables are not those of normgrade"))

    def unusable(self, error: str) -> UsageError:
        """Return the error for a file that cannot be used, with the reason."""
        return UsageError(
            _(
                'The attempts in "{path}" cannot be read or written ({error}). Unlock or repair the file, or move it away to start again.',
                path=self.path,
                error=error,
            )
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on the file, if the platform has such locks. Raises OSError if other commands hold it for too long."""
    fd = lock(path, PATIENCE_S)
    try:
        yield
    finally:
        os.close(fd)  # this unlocks it


def refuse_log(content: bytes) -> None:
    """Raise ValueError for a database with a write-ahead log, because the content of the log would be missing."""
    if content.startswith(b"SQLite format 3\0") and b"\2" in content[18:20]:  # the versions that are needed to write and to read it
        raise ValueError(_("another program set it to WAL mode; use PRAGMA journal_mode = DELETE to end this mode"))


def schema_of(database: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Return all tables, indices and views: type, name and the SQL that created each."""
    return database.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY name").fetchall()


@cache
def own_schema(script: str) -> list[tuple[str, str, str]]:
    """Return the `schema_of` a database that this script created."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(script)
        return schema_of(database)


def to_row(attempt: Attempt) -> tuple[str | int, ...]:
    """Return the values of an attempt, in the order of COLUMNS."""
    at = attempt.at.astimezone(UTC).isoformat(timespec="seconds")
    diagnoses = json.dumps(attempt.diagnoses, ensure_ascii=False)
    score = attempt.earned, attempt.possible
    return (at, attempt.exercise, attempt.outcome.value, *score, diagnoses, attempt.failed, attempt.hint, attempt.digest)


def from_row(row: tuple[str, str, str, int, int, str, str, str, str]) -> Attempt:
    """Return the attempt in a row. Anybody may have written the row."""
    at, exercise, outcome, earned, possible, diagnoses, failed, hint, digest = row
    names = tuple(visible(str(name)) for name in json.loads(diagnoses))
    when = datetime.fromisoformat(at).astimezone(UTC)
    return Attempt(when, exercise, Outcome(outcome), int(earned), int(possible), names, str(failed), visible(str(hint)), digest)
