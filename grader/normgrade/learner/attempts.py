"""What a learner has tried: every attempt and every hint, in one SQLite file of the workspace."""

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
from normgrade.report.report import Outcome, Report

VERSION = 1
PATIENCE_S = 5.0  # while another command writes
LARGEST_BYTES = 64 * 1024**2
UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError, MemoryError)  # what a row can be that another program wrote
SCHEMA = """
CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    exercise TEXT NOT NULL,
    outcome TEXT NOT NULL,
    earned INTEGER NOT NULL,
    possible INTEGER NOT NULL,
    diagnoses TEXT NOT NULL,
    hints TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE INDEX attempts_of ON attempts (exercise);
CREATE TABLE hints (exercise TEXT NOT NULL, hint TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (exercise, hint));
"""


COLUMNS = "at, exercise, outcome, earned, possible, diagnoses, hints, digest"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One grading of one file: when, what came of it, the mistakes that it was diagnosed with, the hint of what failed first, its hash."""

    at: datetime
    exercise: str
    outcome: Outcome
    earned: int
    possible: int
    diagnoses: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    digest: str = ""

    @classmethod
    def of(cls, report: Report, at: datetime) -> Attempt:
        mistakes = tuple(dict.fromkeys(mistake for diagnosis in report.diagnoses for mistake in diagnosis.mistakes))
        return cls(at, report.exercise, report.outcome, report.earned, report.possible, mistakes, first_hint(report), report.digest)

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


def first_hint(report: Report) -> tuple[str, ...]:
    """The hint of the first check that fails, if it has one."""
    return tuple(check.hint for check in report.checks if check.outcome is Outcome.FAILED)[:1]


@dataclass(frozen=True)
class Progress:
    """Attempts and hints in a file. Where it cannot be read or written, a UsageError says why; nothing in it is lost."""

    path: Path

    def add(self, attempts: Sequence[Attempt]) -> None:
        """Keep these attempts, all of them or none."""
        with self.changing() as database:
            database.executemany(f"INSERT INTO attempts ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(to_row, attempts))

    def attempts(self, exercise: str | None = None) -> list[Attempt]:
        """All attempts, or those at one exercise, the oldest first."""
        where, values = ("WHERE exercise = ?", (exercise,)) if exercise is not None else ("", ())
        with self.reading() as database:
            return list(map(from_row, database.execute(f"SELECT {COLUMNS} FROM attempts {where} ORDER BY number", values)))

    def give(self, exercise: str, hint: str, at: datetime) -> None:
        """Remember that a hint was given."""
        with self.changing() as database:
            database.execute("INSERT OR IGNORE INTO hints VALUES (?, ?, ?)", (exercise, hint, at.astimezone(UTC).isoformat()))

    def given(self, exercise: str) -> set[str]:
        with self.reading() as database:
            return {hint for (hint,) in database.execute("SELECT hint FROM hints WHERE exercise = ?", (exercise,))}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The database, in memory: SQLite itself opens nothing, or a link, a pipe or a journal that lies there could lead it astray."""
        with self.usable(), closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            if os.path.lexists(self.path):
                own_folder(self.path.parent)  # which is there, so that this only refuses a link
                database.deserialize(read_plain(self.path, LARGEST_BYTES))
            self.make_ready(database)
            yield database

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The same, written back as a whole when all went well. Whoever comes meanwhile waits."""
        with self.usable():
            own_folder(self.path.parent)
            with locked(self.path.with_name("lock")), self.reading() as database:
                yield database
                write_whole(self.path, database.serialize())

    @contextmanager
    def usable(self) -> Iterator[None]:
        """A UsageError for all that a file can do to its reader."""
        try:
            yield
        except OSError as error:
            raise self.unusable(error.strerror or str(error)) from error
        except (sqlite3.Error, *UNREADABLE) as error:
            raise self.unusable(str(error)) from error

    def make_ready(self, database: sqlite3.Connection) -> None:
        """See that these are our own tables; begin them where there are none."""
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
        if schema_of(database) != own_schema():  # a view in place of a table may compute for ever
            raise ValueError(_("its tables are not those of normgrade"))

    def unusable(self, error: str) -> UsageError:
        return UsageError(
            _(
                'What was tried cannot be kept in "{path}" ({error}). Free the file, or move it away to begin anew.',
                path=self.path,
                error=error,
            )
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One command after the other, where the platform has such locks. Raises OSError where the others take too long."""
    fd = lock(path, PATIENCE_S)
    try:
        yield
    finally:
        os.close(fd)  # which unlocks it


def schema_of(database: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return database.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY name").fetchall()


@cache
def own_schema() -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        return schema_of(database)


def to_row(attempt: Attempt) -> tuple[str | int, ...]:
    """What is kept of an attempt, in the order of the columns."""
    texts = (json.dumps(each, ensure_ascii=False) for each in (attempt.diagnoses, attempt.hints))
    at = attempt.at.astimezone(UTC).isoformat(timespec="seconds")
    return (at, attempt.exercise, attempt.outcome.value, attempt.earned, attempt.possible, *texts, attempt.digest)


def from_row(row: tuple[str, str, str, int, int, str, str, str]) -> Attempt:
    """What a row says, which anybody may have written."""
    at, exercise, outcome, earned, possible, diagnoses, hints, digest = row
    names, texts = (tuple(visible(str(text)) for text in json.loads(each)) for each in (diagnoses, hints))
    when = datetime.fromisoformat(at).astimezone(UTC)
    return Attempt(when, exercise, Outcome(outcome), int(earned), int(possible), names, texts, digest)
