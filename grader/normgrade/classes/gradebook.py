"""The gradebook of a class: one SQLite file with every result, every mark that a person set, and all students."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from normgrade.classes.hand_ins import HandIn
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.report.report import Outcome, Report

OURS = 0x6E6F726D  # the application id of the file: "norm"
VERSION = 2  # of the tables; version 1 has no column `folder`
PATIENCE_S = 60.0  # for another process to finish writing
SCHEMA = f"""
CREATE TABLE students (student TEXT PRIMARY KEY, id TEXT NOT NULL);
CREATE TABLE results (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    exercise TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    late INTEGER NOT NULL,
    origin TEXT NOT NULL,
    digest TEXT NOT NULL,
    source BLOB NOT NULL,
    outcome TEXT NOT NULL,
    earned INTEGER NOT NULL,
    possible INTEGER NOT NULL,
    mistakes TEXT NOT NULL,
    report BLOB NOT NULL,
    course TEXT NOT NULL,
    program TEXT NOT NULL,
    versions TEXT NOT NULL,
    seed INTEGER NOT NULL,
    tier TEXT NOT NULL,
    seconds REAL NOT NULL,
    at TEXT NOT NULL,
    folder TEXT NOT NULL DEFAULT ''
);
CREATE INDEX results_of ON results (student, exercise);
CREATE TABLE overrides (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    exercise TEXT NOT NULL,
    points REAL,
    was REAL,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    at TEXT NOT NULL
);
PRAGMA application_id = {OURS};
PRAGMA user_version = {VERSION};
"""
COLUMNS = [
    *("student", "exercise", "attempt", "late", "origin", "digest", "source"),
    *("outcome", "earned", "possible", "mistakes", "report"),
    *("course", "program", "versions", "seed", "tier", "seconds", "at", "folder"),
]
INSERT = f"INSERT INTO results ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
NEWEST = (  # the number of the result that counts for a row called "one"
    "SELECT number FROM results WHERE student = one.student AND exercise = one.exercise ORDER BY attempt DESC, number DESC LIMIT 1"
)
BRIEFLY = {"source": "x'' AS source", "report": "x'' AS report"}  # without the large columns
SELECT = f"SELECT {', '.join(COLUMNS)} FROM results"
SELECT_BRIEFLY = f"SELECT {', '.join(BRIEFLY.get(name, name) for name in COLUMNS)} FROM results"


@dataclass(frozen=True, slots=True)
class Origin:
    """Everything besides the submission that decides a result.

    course: the digest of the exercise's files.
    program: the digest of normgrade's sources.
    versions: the versions of normgrade, Python, NumPy and PyTorch.
    seed: the seed of the inputs.
    """

    course: str
    program: str
    versions: Mapping[str, str]
    seed: int


@dataclass(frozen=True, slots=True)
class Result:
    """One grading of one hand-in, at a time. Its report stays `packed`, because it is large. Only the marks of all students lack it."""

    student: str
    exercise: str
    attempt: int
    late: bool
    origin: str
    digest: str
    source: bytes
    outcome: Outcome
    earned: int
    possible: int
    mistakes: tuple[str, ...]
    packed: bytes
    graded: Origin
    tier: str
    seconds: float
    at: datetime
    folder: str = ""  # the student's in Moodle, as the layout told it

    @classmethod
    def of(cls, hand_in: HandIn, digest: str, report: str, graded: Origin) -> Result:
        """Return the result that a report describes, made now."""
        content: dict[str, Any] = json.loads(report)
        content["submission"] = hand_in.origin
        mistakes = tuple(dict.fromkeys(name for diagnosis in content["diagnoses"][:1] for name in diagnosis["mistakes"]))
        return cls(
            student=hand_in.student,
            exercise=hand_in.exercise,
            attempt=hand_in.attempt,
            late=hand_in.late,
            origin=hand_in.origin,
            digest=digest,
            source=hand_in.content,
            outcome=Outcome(content["outcome"]),
            earned=content["score"]["earned"],
            possible=content["score"]["possible"],
            mistakes=mistakes,
            packed=zlib.compress(as_json(content).encode()),
            graded=graded,
            tier=content["sandbox"],
            seconds=content["duration_s"],
            at=datetime.now(UTC),
            folder=hand_in.folder,
        )

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Result:
        """Return the result in a row with the COLUMNS."""
        held = dict(zip(COLUMNS, row, strict=True))
        graded = Origin(held.pop("course"), held.pop("program"), json.loads(held.pop("versions")), held.pop("seed"))
        held |= {"late": bool(held["late"]), "outcome": Outcome(held["outcome"]), "mistakes": tuple(json.loads(held["mistakes"]))}
        held |= {"packed": held.pop("report"), "at": datetime.fromisoformat(held["at"])}
        return cls(graded=graded, **held)

    @property
    def row(self) -> tuple[Any, ...]:
        """The values of the COLUMNS."""
        who = self.student, self.exercise, self.attempt, int(self.late), self.origin, self.digest, self.source
        marks = self.outcome.value, self.earned, self.possible, as_json(self.mistakes), self.packed
        made = self.graded.course, self.graded.program, as_json(self.graded.versions), self.graded.seed
        return (*who, *marks, *made, self.tier, self.seconds, self.at.isoformat(timespec="milliseconds"), self.folder)

    @property
    def report(self) -> str:
        """The report, an object in the `reports` of JSON, as text."""
        return zlib.decompress(self.packed).decode()

    @property
    def as_report(self) -> Report:
        """The report, with everything except for the arrays of its differences."""
        from normgrade.report.render.json import report_from_json  # loads NumPy

        return report_from_json(json.loads(self.report), self.source.decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Override:
    """A mark that a person set: the points, those that it replaced, and who set it why and when. Without points, it ends an earlier one."""

    student: str
    exercise: str
    points: float | None
    was: float | None
    who: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one student at one exercise: the newest result of the latest attempt, and the override if there is one."""

    student: str
    exercise: str
    result: Result | None
    override: Override | None = None

    @property
    def points(self) -> float:
        """The points that count."""
        if self.override is not None and self.override.points is not None:
            return self.override.points
        return 0 if self.result is None else self.result.earned

    @property
    def late(self) -> bool:
        """True if the hand-in came late."""
        return self.result is not None and self.result.late


@dataclass(frozen=True, slots=True)
class Change:
    """Two results for the same file: `new` was graded after `old`, and differs in outcome, points or mistakes."""

    old: Result
    new: Result


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
            if make:
                refuse_read_only(path, database)
            yield cls(path, database)

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
                database.execute(INSERT, replace(result, attempt=self.attempt_of(result)).row)

    def attempt_of(self, result: Result) -> int:
        """Return the number of the attempt of a result: that of the latest attempt if it is the same file, otherwise a larger one."""
        latest = self.latest_digest(result.student, result.exercise)
        if latest is None:
            return result.attempt
        number, digest = latest
        return number if digest == result.digest else max(number + 1, result.attempt)

    def latest_digest(self, student: str, exercise: str) -> tuple[int, str] | None:
        """Return the number of the latest attempt and the digest of its file; None if there is no attempt."""
        where = "WHERE student = ? AND exercise = ? ORDER BY attempt DESC, number DESC LIMIT 1"
        say = f"SELECT attempt, digest FROM results {where}"
        found: tuple[int, str] | None = self.database.execute(say, (student, exercise)).fetchone()
        return found

    def override(self, override: Override) -> None:
        """Add a mark that a person set. It counts until another one is set, whatever is graded meanwhile."""
        row = override.student, override.exercise, override.points, override.was, override.who, override.why
        say = "INSERT INTO overrides (student, exercise, points, was, who, why, at) VALUES (?, ?, ?, ?, ?, ?, ?)"
        with self.changing() as database:
            database.execute(say, (*row, override.at.isoformat(timespec="seconds")))

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

    def results(self, student: str | None = None, exercise: str | None = None) -> Iterator[Result]:
        """Yield results, the oldest first: all of them, or those of a student, or at an exercise."""
        asked = {"student": student, "exercise": exercise}
        given = {name: value for name, value in asked.items() if value is not None}
        where = "WHERE " + " AND ".join(f"{name} = ?" for name in given) if given else ""
        with usable(self.path):
            for row in self.database.execute(f"{SELECT} {where} ORDER BY number", [*given.values()]):
                yield Result.from_row(row)

    def overrides(self) -> list[Override]:
        """Return all overrides, the oldest first."""
        say = "SELECT student, exercise, points, was, who, why, at FROM overrides ORDER BY number"
        with usable(self.path):
            return [Override(*first, datetime.fromisoformat(last)) for *first, last in self.database.execute(say)]  # type: ignore[call-arg]

    def marks(self, student: str | None = None) -> dict[tuple[str, str], Mark]:
        """Return the marks by student and exercise. A pair without result and override has none.

        Those of one student have their sources and reports, which are large. Those of all students are without them.
        """
        found: dict[tuple[str, str], Mark] = {}
        given = () if student is None else (student,)
        select, of_one = (SELECT_BRIEFLY, "") if student is None else (SELECT, " AND student = ?")
        say = f"{select} AS one WHERE number = ({NEWEST}){of_one} ORDER BY student COLLATE NOCASE, student, exercise"
        with usable(self.path):
            for row in self.database.execute(say, given):
                result = Result.from_row(row)
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

    def newest(self) -> dict[tuple[str, str], tuple[str, Origin]]:
        """Return the digest and the origin of the result that counts, by student and exercise, without its report."""
        say = f"SELECT student, exercise, digest, course, program, versions, seed FROM results AS one WHERE number = ({NEWEST})"
        with usable(self.path):
            rows = self.database.execute(say).fetchall()
        return {(row[0], row[1]): (row[2], Origin(row[3], row[4], json.loads(row[5]), row[6])) for row in rows}

    def changes(self) -> Iterator[Change]:
        """Yield the last change that a regrade made to each mark: the two newest results for the file of the latest attempt."""
        for mark in self.marks().values():
            if mark.result is not None:
                same = [each for each in self.results(mark.student, mark.exercise) if each.digest == mark.result.digest]
                told = [(each.outcome, each.earned, each.mistakes) for each in same]
                if len(same) > 1 and told[-1] != told[-2]:
                    yield Change(same[-2], same[-1])


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
    elif version < VERSION:
        update(database)
    database.execute("PRAGMA synchronous = FULL")


def update(database: sqlite3.Connection) -> None:
    """Add the columns that an earlier version lacks, unless another process does so at this moment."""
    database.execute("BEGIN IMMEDIATE")
    if database.execute("PRAGMA user_version").fetchone() != (VERSION,):
        database.execute("ALTER TABLE results ADD COLUMN folder TEXT NOT NULL DEFAULT ''")
        database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")


def create(path: Path, database: sqlite3.Connection) -> None:
    """Create the tables in an empty file, unless another process does so at this moment."""
    if database.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,):
        raise not_a_gradebook(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("BEGIN IMMEDIATE")
    if database.execute("PRAGMA application_id").fetchone() == (0,):
        for statement in filter(None, map(str.strip, SCHEMA.split(";"))):
            database.execute(statement)
    database.execute("COMMIT")


def refuse_read_only(path: Path, database: sqlite3.Connection) -> None:
    """Raise sqlite3.OperationalError if nothing can be written."""
    database.execute("BEGIN IMMEDIATE")
    database.execute(f"PRAGMA user_version = {VERSION}")
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


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
