"""What a learner has tried: every attempt and every hint, in one SQLite file of the workspace."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from normgrade.errors import UsageError
from normgrade.language import _
from normgrade.report import Outcome, Report

VERSION = 1
PATIENCE_S = 5.0  # while another command writes
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
    def of(cls, report: Report, at: datetime, digest: str) -> Attempt:
        mistakes = tuple(dict.fromkeys(mistake for diagnosis in report.diagnoses for mistake in diagnosis.mistakes))
        return cls(at, report.exercise, report.outcome, report.earned, report.possible, mistakes, first_hint(report), digest)

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
        with self.open() as database:
            database.executemany(f"INSERT INTO attempts ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(to_row, attempts))

    def attempts(self, exercise: str | None = None) -> list[Attempt]:
        """All attempts, or those at one exercise, the oldest first."""
        if not self.path.exists():
            return []
        where, values = ("WHERE exercise = ?", (exercise,)) if exercise is not None else ("", ())
        with self.open() as database:
            rows = database.execute(f"SELECT {COLUMNS} FROM attempts {where} ORDER BY number", values).fetchall()
        return list(map(from_row, rows))

    def give(self, exercise: str, hint: str, at: datetime) -> None:
        """Remember that a hint was given."""
        with self.open() as database:
            database.execute("INSERT OR IGNORE INTO hints VALUES (?, ?, ?)", (exercise, hint, at.astimezone(UTC).isoformat()))

    def given(self, exercise: str) -> set[str]:
        if not self.path.exists():
            return set()
        with self.open() as database:
            return {hint for (hint,) in database.execute("SELECT hint FROM hints WHERE exercise = ?", (exercise,))}

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """The database, in one transaction."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self.path, timeout=PATIENCE_S, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise self.unusable(error) from error
        try:
            database.execute("BEGIN IMMEDIATE")
            self.make_ready(database)
            yield database
            database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self.unusable(error) from error
        finally:
            database.close()  # which takes back what was not committed

    def make_ready(self, database: sqlite3.Connection) -> None:
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
            for statement in SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {VERSION}")

    def unusable(self, error: Exception) -> UsageError:
        return UsageError(
            _(
                'What was tried cannot be kept in "{path}" ({error}). Free the file, or move it away to begin anew.',
                path=self.path,
                error=error,
            )
        )


def to_row(attempt: Attempt) -> tuple[str | int, ...]:
    """What is kept of an attempt, in the order of the columns."""
    texts = (json.dumps(each, ensure_ascii=False) for each in (attempt.diagnoses, attempt.hints))
    at = attempt.at.astimezone(UTC).isoformat(timespec="seconds")
    return (at, attempt.exercise, attempt.outcome.value, attempt.earned, attempt.possible, *texts, attempt.digest)


def from_row(row: tuple[str, str, str, int, int, str, str, str]) -> Attempt:
    at, exercise, outcome, earned, possible, diagnoses, hints, digest = row
    names, texts = (tuple(json.loads(each)) for each in (diagnoses, hints))
    return Attempt(datetime.fromisoformat(at), exercise, Outcome(outcome), earned, possible, names, texts, digest)
