"""A learner's attempts, in an SQLite file of the workspace; the standing at every exercise that follows from them, and the next step."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, by_worth
from normgrade.course.files import lock, own_folder, read_plain, write_whole
from normgrade.inspection.inspection import inspect_file
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible
from normgrade.learner.workspace import Workspace, submission_of
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


# The standing, and the next step


@dataclass(frozen=True)
class Record:
    """All attempts at one exercise, the oldest first. `started` is True if its file differs from the stub.

    `before` are the slugs of exercises that should come first and have not passed yet. `rank` is its place among all exercises by worth.
    """

    exercise: Exercise
    attempts: tuple[Attempt, ...]
    started: bool
    before: tuple[str, ...] = ()
    rank: int = 0

    @property
    def passed(self) -> bool:
        return any(attempt.passed for attempt in self.attempts)

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def best(self) -> int:
        """The highest score of any attempt."""
        return max((attempt.earned for attempt in self.attempts), default=0)

    @property
    def standing(self) -> str:
        """The standing in words: "passed", the best score, or "started" or "not started" if there are no attempts."""
        if self.passed:
            return _("passed")
        if self.last is not None:
            return _("best {best}/{possible}", best=self.best, possible=self.last.possible)
        return _("started") if self.started else _("not started")


def records(course: Course, workspace: Workspace | None) -> list[Record]:
    """Return a record for every exercise of the course, in its order. Without a workspace no attempts are known."""
    file_of = submission_of if workspace is None else workspace.submission
    tried: dict[str, list[Attempt]] = {}
    for attempt in attempts_of(workspace).attempts() if workspace is not None else ():
        tried.setdefault(attempt.exercise, []).append(attempt)
    ranks = {exercise.slug: rank for rank, exercise in enumerate(by_worth(list(course)))}
    found = [Record(each, tuple(tried.get(each.slug, ())), is_started(file_of(each), each), rank=ranks[each.slug]) for each in course]
    open_ones = {record.exercise.slug for record in found if not record.passed}
    return [replace(each, before=tuple(slug for slug in each.exercise.after if slug in open_ones)) for each in found]


def attempts_of(workspace: Workspace) -> Attempts:
    """Return the attempts of a workspace; their file need not exist yet."""
    return Attempts(workspace.data / "progress.db")


def is_started(path: Path, exercise: Exercise) -> bool:
    """Return True if there is a file, and it differs from the stub."""
    return os.path.lexists(path) and inspect_file(path, exercise).started


def next_record(records: Sequence[Record]) -> Record | None:
    """Return the next exercise among those that have not passed; None if all have.

    It is the one that was tried last, else the first one that is started, else the first. Exercises without open prerequisites come first,
    and then those that are worth more.
    """
    open_ones = [record for record in records if not record.passed]
    tried = [record for record in open_ones if record.attempts]
    if tried:
        return max(tried, key=lambda record: record.attempts[-1].at)
    return min(open_ones, key=lambda record: (not record.started, *turn(record)), default=None)


def turn(record: Record) -> tuple[bool, int]:
    """Return a sort key; the lowest exercise is the next: it has no open prerequisites, and is worth most."""
    return bool(record.before), record.rank


def others_open(records: Sequence[Record]) -> list[Record]:
    """Return the other exercises that could be next, the best first: not passed, and without open prerequisites."""
    following = next_record(records)
    return sorted((each for each in records if not (each.passed or each.before or each == following)), key=turn)


def next_after(records: Sequence[Record], current: Exercise, seen: Sequence[Exercise]) -> Exercise | None:
    """Return the exercise after the current one: if that has passed, the next of all, else the next of those that are not in `seen`.

    If all others are in `seen`, it is the next of them. It is None if all others have passed.
    """
    others = [record for record in records if record.exercise != current]
    passed = any(record.passed for record in records if record.exercise == current)
    unseen = [record for record in others if passed or record.exercise not in seen]
    found = next_record(unseen) or next_record(others)
    return None if found is None else found.exercise


def advice(records: Sequence[Record], brief: bool = False) -> str:
    """Return the next step, in one or two sentences. `brief` omits the name of the file, for learners who have passed an exercise."""
    record = next_record(records)
    if record is None:
        return _("All exercises have passed. Run `normgrade check --seed random` to grade them on new inputs.")
    exercise, slug, last = record.exercise, record.exercise.slug, record.last
    where = _("{slug} (level {level}, {group})", slug=slug, level=exercise.level, group=exercise.group)
    if last is not None:
        return _(
            "Continue with {where}: {earned} of {possible} points at the last check. Run `normgrade hint {slug}` for a hint.",
            where=where,
            earned=last.earned,
            possible=last.possible,
            slug=slug,
        )
    if record.started:
        return _("Continue with {where}, which is started. Run `normgrade check {slug}` to grade it.", where=where, slug=slug)
    if brief:
        return _("Next is {where}. Run `normgrade show {slug}` to see the task.", where=where, slug=slug)
    return _(
        "Next is {where}. Run `normgrade show {slug}` to see the task, and write your code in {file}.",
        where=where,
        slug=slug,
        file=exercise.file_name,
    )


def frequent_mistakes(records: Sequence[Record]) -> Mapping[str, int]:
    """Return how often each mistake was made anew, the most frequent first."""
    counted = Counter(name for record in records for _attempt, name in made_anew(record.attempts))
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def made_anew(attempts: Iterable[Attempt]) -> Iterator[tuple[Attempt, str]]:
    """Yield each attempt with each mistake that the previous attempt at the same exercise did not have."""
    before: dict[str, tuple[str, ...]] = {}
    for attempt in attempts:
        yield from ((attempt, name) for name in attempt.diagnoses if name not in before.get(attempt.exercise, ()))
        before[attempt.exercise] = attempt.diagnoses
