"""The hand-ins of a class: which file is whose, and for which exercise, as the names of folders and files tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HandIn:
    """One file that a student handed in for an exercise.

    student: the name of the student in the gradebook, printable and never shared by two students.
    exercise: the slug.
    origin: the path of the file, printable: "class.zip/Anna Li_7_assignsubmission_file_/layer_norm.py".
    content: its bytes, at most one more than a submission may have; for a notebook, the source of its cells.
    id: the number by which the learning management system knows the student; "" if it is not told.
    attempt: the number of the attempt that the name of the file tells, from 1 on.
    late: true if the name says that it came late.
    folder: the student's folder in Moodle, by which Moodle knows the student in this assignment; "" elsewhere.
    """

    student: str
    exercise: str
    origin: str
    content: bytes
    id: str = ""
    attempt: int = 1
    late: bool = False
    folder: str = ""


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
