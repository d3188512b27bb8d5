"""The hand-ins of a class, the results of their grading, the marks that a person set, and the mark that counts."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from normgrade import __version__
from normgrade.course.exercise import Exercise
from normgrade.course.layout import settings_in
from normgrade.course.package import digest_of_sources
from normgrade.language.visible import visible_name
from normgrade.report.report import Outcome, Report

SURROGATE = re.compile(r"([\udc80-\udcff])|[\ud800-\udfff]")  # by the first ones, Python writes the bytes of a name that is not UTF-8


def while_read(default: Any) -> Any:
    """Return a field that is of use while the hand-ins are read, and not part of the result."""
    return field(default=default, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class HandIn:
    """One file that a student handed in for an exercise. While it is read, it has the name, the path and the folder as the system has them.

    student: the name of the student in the gradebook, printable and never shared by two students.
    exercise: the slug; "" as long as it is not known.
    origin: the path of the file, printable: "class.zip/Anna Li_7_assignsubmission_file_/layer_norm.py".
    content: its bytes, at most one more than a submission may have; for a notebook, the source of its cells.
    id: the number by which the learning management system knows the student; "" if it is not told.
    attempt: the number of the attempt that the name of the file tells, from 1 on.
    late: true if the name says that it came late.
    folder: the student's folder in Moodle, by which Moodle knows the student in this assignment; "" elsewhere.

    email: the student's address; "" if it is not told.
    among: the folder in which no two students have the same id; "" if nowhere two have.
    file: the part of the path that tells the exercise.
    rank: how surely the exercise is known.
    tree: the number of the path that was passed, below which it lies.
    upload: the number of the upload; the larger is the later.
    """

    student: str
    exercise: str
    origin: str
    content: bytes
    id: str = ""
    attempt: int = 1
    late: bool = False
    folder: str = ""
    email: str = while_read("")
    among: str = while_read("")
    file: str = while_read("")
    rank: int = while_read(0)
    tree: int = while_read(0)
    upload: int = while_read(0)

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The place among several files of one student for one exercise: the last counts."""
        return -self.rank, self.tree, self.attempt, self.upload


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file or an archive that is not graded, and the reason in a sentence. If that names only some of many files, `files` has all."""

    origin: str
    why: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HandedIn:
    """Everything that was found under the paths of a class.

    hand_ins: one for each student and exercise, sorted by both.
    left_out: the files that are not graded.
    layouts: the name of the layout of each path.
    absent: the students of the roster without a hand-in.
    strangers: the students with a hand-in who are not on the roster.
    ungraded: the students who handed in something, but nothing to grade, and are not on the roster.
    nameless: the number of rows of the roster without a name.
    students: the id of everybody in the class, by name: of all who handed in anything, and of all on the roster.
    """

    hand_ins: tuple[HandIn, ...]
    left_out: tuple[LeftOut, ...] = ()
    layouts: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    ungraded: tuple[str, ...] = ()
    nameless: int = 0
    students: Mapping[str, str] = field(default_factory=dict)


# Names from file systems and archives


def printable_name(name: str) -> str:
    """Return the name as text in UTF-8: itself, or with escapes if it holds a byte that is not UTF-8 or a backslash.

    Two names never become one.

    >>> printable_name("Zo\\udceb")
    'Zo\\\\xeb'
    """
    return SURROGATE.sub(escaped, name.replace("\\", r"\\"))


def escaped(match: re.Match[str]) -> str:
    sign = ord(match[0])
    return f"\\x{sign - 0xDC00:02x}" if match[1] else f"\\u{sign:04x}"


def shown(name: str) -> str:
    """Return the name as it stands in a message: printable, and on a single line."""
    return visible_name(printable_name(name))


# Results and marks


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
    """One grading of one hand-in, at a time. Each field is a column of the table.

    report: the report as compressed JSON, an object in its `reports`. Only the marks of all students lack it, and the source.
    course, program, versions, seed: the origin.
    folder: the student's in Moodle, as the layout told it.
    """

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
    report: bytes
    course: str
    program: str
    versions: Mapping[str, str]
    seed: int
    tier: str
    seconds: float
    at: datetime
    folder: str = ""

    @classmethod
    def of(cls, hand_in: HandIn, digest: str, report: str, graded: Origin) -> Result:
        """Return the result that a report describes, made now."""
        content: dict[str, Any] = json.loads(report)
        content["submission"] = hand_in.origin
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
            mistakes=tuple(dict.fromkeys(name for diagnosis in content["diagnoses"][:1] for name in diagnosis["mistakes"])),
            report=zlib.compress(as_json(content).encode()),
            tier=content["sandbox"],
            seconds=content["duration_s"],
            at=datetime.now(UTC),
            folder=hand_in.folder,
            **asdict(graded),
        )

    @property
    def graded(self) -> Origin:
        """Everything besides the submission that decided the result."""
        return Origin(self.course, self.program, self.versions, self.seed)

    @property
    def text(self) -> str:
        """The report, an object in the `reports` of JSON, as text."""
        return zlib.decompress(self.report).decode()

    @property
    def as_report(self) -> Report:
        """The report, with everything except for the arrays of its differences."""
        from normgrade.report.render.json import report_from_json  # loads NumPy

        return report_from_json(json.loads(self.text), self.source.decode(errors="replace"))


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
    def outcome(self) -> Outcome:
        """How the grading ended; without a result as if it were skipped."""
        return Outcome.SKIPPED if self.result is None else self.result.outcome

    @property
    def late(self) -> bool:
        """True if the hand-in came late."""
        return self.result is not None and self.result.late


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# The origin of a result: digests of the course and of normgrade, and the versions of the libraries


FOR_LEARNERS = {".md", ".svg"}  # the endings of files that decide no verdict


def origin_of(exercise: Exercise, seed: int) -> Origin:
    """Return the origin of the results at an exercise that are made here, with this seed."""
    libraries = {"python": platform.python_version(), "numpy": version("numpy"), "torch": version("torch")}
    return Origin(digest_of_exercise(exercise), digest_of_sources().hex(), {"normgrade": __version__, **libraries}, seed)


def digest_of_exercise(exercise: Exercise) -> str:
    """Return a digest of all files of the course that decide a verdict on this exercise, in hexadecimal."""
    digest = hashlib.sha256()
    for path in files_of(exercise):
        content, name = path.read_bytes(), path.relative_to(exercise.course).as_posix()
        digest.update(f"{len(name)} {len(content)} {name}".encode() + content)
    return digest.hexdigest()


def files_of(exercise: Exercise) -> Iterator[Path]:
    """Yield the files, sorted within each folder."""
    for folder in (exercise.folder, exercise.solutions):
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and decides(path))
    shared = exercise.shared_probes, exercise.shared_mistakes, settings_in(exercise.course)
    for path in (exercise.suite, *exercise.helpers, *shared):
        if path is not None and path.is_file():
            yield path


def decides(path: Path) -> bool:
    """Return True if the content of a file in a folder of the course can decide a verdict."""
    return path.suffix not in FOR_LEARNERS and "__pycache__" not in path.parts
